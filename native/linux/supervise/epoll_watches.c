#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/basics.h"
#include "base/procfs.h"
#include "limits/limits.h"

enum { LOOK_MS = 20, MOST_DESCRIPTORS = 50000 };

static int set = -1, watched = -1;
static int64_t looked_at;

static bool is_at_risk(const struct vt_command *command) {
  return command->confinement && command->phase == VT_RUNNING && !command->killing && !command->failed_step;
}

int vt_watches_due_in(const struct vt_command *commands) {
  for (; commands; commands = commands->next)
    if (is_at_risk(commands)) return LOOK_MS;
  return -1;
}

/* By trying: no interface tells the user's count. */
static bool are_used_up(void) {
  struct epoll_event event = {.events = 0};
  if (set < 0) set = epoll_create1(EPOLL_CLOEXEC);
  if (watched < 0) watched = eventfd(0, EFD_CLOEXEC);
  if (set < 0 || watched < 0) return false;
  if (epoll_ctl(set, EPOLL_CTL_ADD, watched, &event)) return errno == ENOSPC;
  epoll_ctl(set, EPOLL_CTL_DEL, watched, NULL);
  return false;
}

/* Too many descriptors to search count as holding some. */
static bool is_epoll_set(void *context, int directory, const char *name, const char *target) {
  int *left = context;
  (void)directory, (void)name;
  return --*left <= 0 || strcmp(target, "anon_inode:[eventpoll]") == 0;
}

/* Watches are not counted: the kernel would list them all, in the host's memory. */
static int holds_some(void *left, pid_t pid) { return vt_procfs_find_link(pid, left, is_epoll_set); }

void vt_watches_look(struct vt_command *commands) {
  if (vt_watches_due_in(commands) < 0 || vt_now() < looked_at + LOOK_MS) return;
  looked_at = vt_now();
  if (!are_used_up()) return;
  for (struct vt_command *command = commands; command; command = command->next) {
    int left = MOST_DESCRIPTORS;
    if (!is_at_risk(command) || vt_session_each_of(command, &left, holds_some) == 0) continue;
    if (!command->terminated) command->limited = "epoll_watches";
    command->killing = true;
  }
}
