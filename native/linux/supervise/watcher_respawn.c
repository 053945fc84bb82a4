#include "supervise/watcher_respawn.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/command.h"
#include "base/event_loop.h"
#include "watcher/host_side.h"

/* Delay between respawns: no process can be created, or something keeps killing the watcher. */
enum { RETRY_MS = 100 };

static struct vt_source source = {VT_SOURCE_WATCHER, NULL};
static int pidfd = -1;
static int64_t next_try;

/* If the launcher has already started another, only opens a pidfd for it. */
void vt_watcher_respawn_check(bool needed) {
  if (pidfd >= 0 || !needed || vt_now() < next_try) return;
  next_try = vt_now() + RETRY_MS;
  if (vt_core_watch()) return;
  pidfd = vt_watcher_open();
  if (pidfd >= 0) vt_event_loop_add(pidfd, &source);
  else if (errno == ENOSYS) next_try = INT64_MAX; /* before Linux 5.3 the launcher checks at each command instead */
}

void vt_watcher_respawn_lost(void) {
  vt_event_loop_remove(pidfd);
  close(pidfd);
  pidfd = -1;
}

int vt_watcher_respawn_due_in(bool needed) {
  if (pidfd >= 0 || !needed) return -1;
  if (next_try == INT64_MAX) return -1;
  int64_t due = next_try - vt_now();
  return due > 0 ? (int)due : 0;
}
