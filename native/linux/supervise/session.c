#define _GNU_SOURCE
#include "supervise/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/procfs.h"
#include "supervise/terminal.h"

/* asm-generic/unistd.h */
enum { NR_PIDFD_SEND_SIGNAL = 424, NR_PIDFD_OPEN = 434 };

/* Kept open: the host may have no descriptor left when a command must be ended. Supervisor thread only. */
static int proc = -1;

int vt_session_open(void) {
  if (proc < 0) proc = vt_procfs_open();
  return proc < 0 ? -1 : 0;
}

/* A pidfd is readable once the last thread has ended (pidfd_open(2)). In /proc a process is a zombie once its first thread
 * has ended, while others run. */
static bool has_ended(int pidfd) {
  struct pollfd polled = {pidfd, POLLIN, 0};
  return poll(&polled, 1, 0) != 0;
}

static int open_pidfd(pid_t pid) { return (int)syscall(NR_PIDFD_OPEN, pid, 0); }

static int is_member(const struct vt_command *command, pid_t pid) {
  if (getsid(pid) == command->pid) return 1;
  static char text[256 * 1024]; /* supervisor thread only; the cookie comes first in the environment */
  return command->cookie[0] && vt_procfs_has_cookie(pid, command->cookie, text, sizeof text);
}

/* hidepid (proc(5)) hides undumpable processes, so getsid(2) is called for every possible process id. */
static int each_process_id(pid_t session, void *context, vt_procfs_visit found) {
  char text[16] = "";
  int fd = open("/proc/sys/kernel/pid_max", O_RDONLY | O_CLOEXEC), sum = 0;
  if (fd >= 0) {
    if (read(fd, text, sizeof text - 1) < 0) text[0] = 0;
    close(fd);
  }
  int last = atoi(text) > 0 ? atoi(text) : 4 * 1024 * 1024; /* PID_MAX_LIMIT, linux/threads.h */
  for (pid_t pid = 2; pid <= last; pid++)
    if (getsid(pid) == session) sum += found(context, pid);
  return sum;
}

static int proc_hides(void) { return access("/proc/1/stat", R_OK) != 0; }

static int each(int from, pid_t session, void *context, vt_procfs_visit found) {
  return proc_hides() ? each_process_id(session, context, found) : vt_procfs_each(from, context, found);
}

static int count_one(void *context, pid_t pid) {
  const struct vt_command *command = context;
  if (pid == command->pid || !is_member(command, pid)) return 0;
  int pidfd = open_pidfd(pid);
  if (pidfd < 0) return errno != ESRCH;
  int alive = !has_ended(pidfd);
  close(pidfd);
  return alive;
}

static void remember(struct vt_command *command, pid_t pid) {
  for (int i = 0; i < command->remembered_count; i++)
    if (command->remembered[i] == pid) return;
  command->killed++;
  if (command->remembered_count < VT_REMEMBERED) command->remembered[command->remembered_count++] = pid;
}

/* A pidfd opened before the check makes sure that the checked process is killed (pidfd_open(2)). Without a descriptor left,
 * it is killed by number, as the watcher does. */
static int kill_one(void *context, pid_t pid) {
  struct vt_command *command = context;
  if ((pid == command->pid && command->leader_ended) || getpid() == pid) return 0;
  if (!is_member(command, pid)) return 0;
  int pidfd = open_pidfd(pid);
  if (pidfd < 0 && errno == ESRCH) return 0;
  int found = is_member(command, pid) && (pidfd < 0 || !has_ended(pidfd));
  if (found) {
    pid_t group = getpgid(pid);
    /* The whole group at once, so that a fork bomb cannot outrun the sweep; a group never spans sessions (credentials(7)). */
    if (group > 1 && getsid(group) == getsid(pid) && group != getpgrp()) kill(-group, SIGKILL);
    if (pidfd >= 0) syscall(NR_PIDFD_SEND_SIGNAL, pidfd, SIGKILL, NULL, 0);
    else kill(pid, SIGKILL);
    if (pid != command->pid) remember(command, pid);
  }
  if (pidfd >= 0) close(pidfd);
  return found;
}

int vt_session_sweep(struct vt_command *command) { return each(proc, command->pid, command, kill_one); }

int vt_session_count(const struct vt_command *command) {
  return each(proc, command->pid, (void *)command, count_one);
}

struct members {
  pid_t session;
  void *context;
  vt_procfs_visit found;
};

static int if_member(void *context, pid_t pid) {
  const struct members *members = context;
  return getsid(pid) == members->session ? members->found(members->context, pid) : 0;
}

int vt_session_each(pid_t session, void *context, vt_procfs_visit found) {
  struct members members = {session, context, found};
  return each(proc, session, &members, if_member);
}

struct own {
  const struct vt_command *command;
  void *context;
  vt_procfs_visit found;
};

static int if_own(void *context, pid_t pid) {
  const struct own *own = context;
  return is_member(own->command, pid) ? own->found(own->context, pid) : 0;
}

int vt_session_each_of(const struct vt_command *command, void *context, vt_procfs_visit found) {
  struct own own = {command, context, found};
  return each(proc, command->pid, &own, if_own);
}

struct wanted {
  pid_t session, group;
};

static int is_in_group(void *context, pid_t pid) {
  const struct wanted *wanted = context;
  return getpgid(pid) == wanted->group && getsid(pid) == wanted->session;
}

bool vt_session_has_group(pid_t session, pid_t group) {
  struct wanted wanted = {session, group};
  if (getsid(group) == session && getpgid(group) == group) return true;
  int own = vt_procfs_open();
  bool found = own >= 0 && each(own, session, &wanted, is_in_group) > 0;
  if (own >= 0) close(own);
  return found;
}

void vt_session_signal(const struct vt_command *command, int signal) {
  if (command->pid <= 1) return;
  /* The foreground group first: a shell that ends takes its terminal back and leaves the others behind. */
  pid_t front = vt_terminal_foreground(command);
  if (front > 1 && front != command->pid && vt_session_has_group(command->pid, front)) kill(-front, signal);
  kill(-command->pid, signal);
}
