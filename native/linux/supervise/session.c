#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/watched.h"
#include "base/procfs.h"

/* Kept open: the host may have no descriptor left when a command must be ended. Supervisor thread only. */
static int proc = -1;

int vt_session_open(void) {
  if (proc < 0) proc = vt_procfs_open();
  return proc < 0 ? -1 : 0;
}

static int is_member(void *context, pid_t pid) {
  static char text[256 * 1024]; /* supervisor thread only; the cookie comes first in the environment */
  const struct vt_command *command = context;
  if (mark_tells(command->mark, command->pid, pid)) return 1;
  return command->cookie[0] && getsid(pid) > 0 && vt_procfs_has_cookie(pid, command->cookie, text, sizeof text);
}

static int each(int from, void *context, vt_procfs_visit found) {
  return sweep_is_blind() ? sweep_every_id(context, found) : vt_procfs_each(from, context, found);
}

static int count_one(void *context, pid_t pid) {
  const struct vt_command *command = context;
  if (pid == command->pid || getpid() == pid || !is_member(context, pid)) return 0;
  int pidfd = (int)syscall(NR_PIDFD_OPEN, pid, 0);
  if (pidfd < 0) return errno != ESRCH;
  int alive = !sweep_has_ended(pidfd);
  close(pidfd);
  return alive;
}

static int count_in_group(void *context, pid_t pid) {
  const struct vt_command *command = context;
  return getpgid(pid) == command->pid && count_one(context, pid) && !vt_procfs_is_ending(pid);
}

static int kill_one(void *context, pid_t pid) {
  struct vt_command *command = context;
  if ((pid == command->pid && command->leader_ended) || getpid() == pid) return 0;
  int found = sweep_kill(pid, context, is_member);
  /* One that forks and ends without pause may have been between two processes when they were counted. */
  if (found && pid != command->pid && command->killed == 0) command->killed = 1;
  return found;
}

/* Before they are signalled: the members of a group end together, before the turn of each comes. */
int vt_session_count_ended(struct vt_command *command) {
  if (!command->counted) command->killed = vt_session_count(command);
  command->counted = true;
  return command->killed;
}

int vt_session_sweep(struct vt_command *command) {
  vt_session_count_ended(command);
  return each(proc, command, kill_one);
}

int vt_session_count(const struct vt_command *command) { return each(proc, (void *)command, count_one); }

int vt_session_count_group(const struct vt_command *command) { return each(proc, (void *)command, count_in_group); }

struct left {
  const struct vt_command *command;
  pid_t *pids;
  int count, room;
};

/* Threads have ids among those of processes, but no pidfd (pidfd_open(2)). */
static bool is_process(pid_t pid) {
  int pidfd = (int)syscall(NR_PIDFD_OPEN, pid, 0);
  if (pidfd >= 0) close(pidfd);
  return pidfd >= 0;
}

static int note_left(void *context, pid_t pid) {
  struct left *left = context;
  if (left->count == left->room || getpgid(pid) == left->command->pid) return 0;
  if (count_one((void *)left->command, pid) && is_process(pid) && !vt_procfs_is_ending(pid)) left->pids[left->count++] = pid;
  return 0;
}

/* The id that was given last (proc_loadavg(5)); 0: unknown. */
static pid_t last_id(void) {
  char text[128];
  int fd = proc < 0 ? -1 : openat(proc, "loadavg", O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  text[length > 0 ? length : 0] = 0;
  const char *last = strrchr(text, ' ');
  return last ? atoi(last + 1) : 0;
}

/* Ids are given in order: few follow the leader's, and asking about one that is free costs less than a look into /proc. */
void vt_session_find_left(const struct vt_command *command, pid_t *left, int room) {
  enum { NEAR = 4096 };
  struct left found = {command, left, 0, room};
  pid_t last = last_id();
  if (last < command->pid || last - command->pid > NEAR) each(proc, &found, note_left);
  else
    for (pid_t pid = command->pid + 1; pid <= last; pid++) note_left(&found, pid);
}

struct members {
  const struct vt_command *command; /* NULL: the members of the session alone */
  pid_t session;
  void *context;
  vt_procfs_visit found;
};

static int if_member(void *context, pid_t pid) {
  const struct members *members = context;
  bool is_one = members->command ? is_member((void *)members->command, pid) : getsid(pid) == members->session;
  return is_one ? members->found(members->context, pid) : 0;
}

int vt_session_each(pid_t session, void *context, vt_procfs_visit found) {
  struct members members = {NULL, session, context, found};
  return each(proc, &members, if_member);
}

int vt_session_each_of(const struct vt_command *command, void *context, vt_procfs_visit found) {
  struct members members = {command, command->pid, context, found};
  return each(proc, &members, if_member);
}

struct wanted {
  uint64_t mark;
  pid_t session, group;
};

static int is_in_group(void *context, pid_t pid) {
  const struct wanted *wanted = context;
  return getpgid(pid) == wanted->group && mark_tells(wanted->mark, wanted->session, pid);
}

bool vt_session_has_group(pid_t session, uint64_t mark, pid_t group) {
  struct wanted wanted = {mark, session, group};
  if (is_in_group(&wanted, group)) return true;
  int own = vt_procfs_open();
  bool found = own >= 0 && each(own, &wanted, is_in_group) > 0;
  if (own >= 0) close(own);
  return found;
}

struct asked {
  const struct vt_command *command;
  pid_t front; /* the terminal's foreground group; 0: none */
};

/* The two groups got theirs as a whole: to some programs a second SIGTERM means to end at once. */
static int ask_one(void *context, pid_t pid) {
  const struct asked *asked = context;
  struct vt_command *command = (struct vt_command *)asked->command;
  pid_t group = getpgid(pid);
  if (group == command->pid || group == asked->front || getpid() == pid || !is_member(command, pid)) return 0;
  int pidfd = (int)syscall(NR_PIDFD_OPEN, pid, 0);
  if (pidfd < 0) return 0; /* ended, or killed after the grace */
  if (is_member(command, pid)) {
    syscall(NR_PIDFD_SEND_SIGNAL, pidfd, SIGTERM, NULL, 0);
    if (command->terminal) syscall(NR_PIDFD_SEND_SIGNAL, pidfd, SIGHUP, NULL, 0);
    syscall(NR_PIDFD_SEND_SIGNAL, pidfd, SIGCONT, NULL, 0);
  }
  close(pidfd);
  return 1;
}

void vt_session_ask(const struct vt_command *command) {
  struct asked asked = {command, vt_terminal_foreground(command)};
  vt_session_signal(command, SIGTERM);
  if (command->terminal) vt_session_signal(command, SIGHUP); /* an interactive shell ignores SIGTERM, and passes SIGHUP on */
  vt_session_signal(command, SIGCONT); /* a stopped process would not handle SIGTERM */
  each(proc, &asked, ask_one);
}

void vt_session_signal(const struct vt_command *command, int signal) {
  if (command->pid <= 1) return;
  /* The foreground group first: a shell that ends takes its terminal back and leaves the others behind. */
  pid_t front = vt_terminal_foreground(command);
  if (front > 1 && front != command->pid && vt_session_has_group(command->pid, command->mark, front)) kill(-front, signal);
  kill(-command->pid, signal);
}
