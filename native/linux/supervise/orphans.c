#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/kernel.h"

enum { LOOK_MS = 1000 };

/* A session that outlives its command. The anchor, an unreaped member, keeps its number from reuse. */
struct remembered {
  struct remembered *next;
  pid_t session, anchor;
  int anchor_fd;
};

static struct remembered *remembered;
static int64_t looked_at;

bool vt_orphans_expected(void) {
  int subreaper = 0;
  return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper);
}

/* Not our child: ECHILD, left alone. */
static bool is_reaped(pid_t pid) {
  siginfo_t info = {.si_pid = 0};
  return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) == 0 && info.si_pid == pid;
}

static int reap_but(void *context, pid_t pid) {
  const pid_t *spared = context;
  return pid != *spared && !is_reaped(pid);
}

int vt_orphans_reap(const struct vt_command *command) {
  pid_t leader = command->pid;
  /* An unconfined command's by session only: whatever carries the cookie is asked for its environment. */
  return command->mark ? vt_session_each_of(command, &leader, reap_but) : vt_session_each(leader, &leader, reap_but);
}

/* The first member except `spared`; its pidfd is opened while `spared` keeps the session's number from reuse. */
struct search {
  pid_t spared, found;
  int fd;
};

static int take_first(void *context, pid_t pid) {
  struct search *search = context;
  if (pid == search->spared || search->fd >= 0) return 0;
  search->found = pid;
  search->fd = (int)syscall(NR_PIDFD_OPEN, pid, 0);
  return search->fd >= 0;
}

static bool is_remembered(pid_t session) {
  const struct remembered *at = remembered;
  while (at && at->session != session) at = at->next;
  return at != NULL;
}

/* The process is the command's. */
static int remember(void *context, pid_t pid) {
  const struct vt_command *command = context;
  pid_t session = getsid(pid);
  if (pid == command->pid || session <= 0 || session == getsid(0) || is_remembered(session)) return 0;
  int fd = (int)syscall(NR_PIDFD_OPEN, pid, 0);
  struct remembered *fresh = fd < 0 ? NULL : malloc(sizeof *fresh);
  if (!fresh) return fd < 0 ? 0 : close(fd); /* not remembered: it stays a zombie when it ends */
  *fresh = (struct remembered){remembered, session, pid, fd};
  remembered = fresh;
  return 1;
}

void vt_orphans_adopt(const struct vt_command *command) { vt_session_each_of(command, (void *)command, remember); }

/* Succeeds for zombies too; ESRCH: it has been reaped. */
static bool is_anchored(const struct remembered *session) {
  return syscall(NR_PIDFD_SEND_SIGNAL, session->anchor_fd, 0, NULL, 0) == 0 || errno != ESRCH;
}

/* Reaps the session's ended members. False: it is empty, or its number is no longer certain. */
static bool look_through(struct remembered *session) {
  struct remembered before = *session;
  if (!is_anchored(&before)) return false;
  int left = vt_session_each(before.session, &before.anchor, reap_but);
  siginfo_t info = {.si_pid = 0};
  bool ended = waitid(P_PID, (id_t)before.anchor, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == before.anchor;
  if (!ended) return true;
  struct search search = {.spared = before.anchor, .fd = -1};
  bool again = left > 0 && vt_session_each(before.session, &search, take_first) > 0;
  is_reaped(before.anchor);
  if (!again) return false;
  close(before.anchor_fd);
  session->anchor = search.found;
  session->anchor_fd = search.fd;
  return true;
}

static void look_at_remembered(void) {
  for (struct remembered **at = &remembered; *at;) {
    struct remembered *session = *at;
    if (look_through(session)) {
      at = &session->next;
      continue;
    }
    *at = session->next;
    close(session->anchor_fd);
    free(session);
  }
}

int vt_orphans_due_in(const struct vt_command *commands) {
  return remembered || (commands && vt_orphans_expected()) ? LOOK_MS : -1;
}

void vt_orphans_look(const struct vt_command *commands) {
  if (vt_now() < looked_at + LOOK_MS || vt_orphans_due_in(commands) < 0) return;
  looked_at = vt_now();
  for (const struct vt_command *command = commands; command; command = command->next)
    if (command->phase != VT_LAUNCHING && !command->failed_step) vt_orphans_reap(command);
  look_at_remembered();
}
