#define _GNU_SOURCE
#include "limits/process_set.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mark.h"
#include "base/memory.h"
#include "base/procfs.h"

/* Process ids are reused, so the list of strangers is dropped after a second. */
enum { FORGET_NS = 1000000000, FIRST_ROOM = 64, TEXT_BYTES = 128 * 1024 };

struct look {
  struct vt_process_set *members;
  struct vt_pids found, strangers;
  pid_t own;
  bool failed;
};

static bool add(struct vt_pids *pids, pid_t pid) {
  if (pids->count == pids->room) {
    int room = pids->room ? pids->room * 2 : FIRST_ROOM;
    pid_t *more = realloc(pids->at, (size_t)room * sizeof *more);
    if (!more) return false;
    pids->at = more;
    pids->room = room;
  }
  pids->at[pids->count++] = pid;
  return true;
}

static int compare(const void *a, const void *b) {
  pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;
  return (left > right) - (left < right);
}

bool vt_pids_has(const struct vt_pids *pids, pid_t pid) {
  return pids->count > 0 && bsearch(&pid, pids->at, (size_t)pids->count, sizeof pid, compare) != NULL;
}

/* Write mode: a process that left the session still carries the cookie. It cannot join an existing session (setsid(2)): processes
 * in the host's session, or in one from outside our PID namespace (id 0), are skipped. */
static bool carries_cookie(struct look *look, pid_t pid, pid_t session) {
  const struct vt_process_set *members = look->members;
  if (!members->text || session <= 0 || session == look->own) return false;
  bool stranger = vt_pids_has(&members->strangers, pid);
  if (!stranger && vt_procfs_has_cookie(pid, members->cookie, members->text, TEXT_BYTES)) return true;
  look->failed |= !add(&look->strangers, pid);
  return false;
}

static int visit(void *context, pid_t pid) {
  struct look *look = context;
  const uint64_t enough = look->members->enough;
  if (enough && (uint64_t)look->found.count > enough) return 0; /* a fork bomb must not slow down the scan */
  bool is_member = mark_tells(look->members->mark, look->members->session, pid);
  if (is_member || carries_cookie(look, pid, getsid(pid))) look->failed |= !add(&look->found, pid);
  return 0;
}

static void replace(struct vt_pids *old, struct vt_pids new) {
  free(old->at);
  *old = new;
}

void vt_process_set_open(struct vt_process_set *members, pid_t session, const char *cookie) {
  *members = (struct vt_process_set){.session = session, .cookie = cookie};
  if (cookie[0]) members->text = vt_must(malloc(TEXT_BYTES));
}

bool vt_process_set_refresh(struct vt_process_set *members, int64_t now) {
  struct look look = {.members = members, .own = getsid(0)};
  if (now - members->strangers_since > FORGET_NS) {
    members->strangers.count = 0;
    members->strangers_since = now;
  }
  int proc = vt_procfs_open();
  if (proc < 0) return false;
  vt_procfs_each(proc, &look, visit);
  close(proc);
  if (look.failed) {
    free(look.found.at);
    free(look.strangers.at);
    return false;
  }
  replace(&members->found, look.found);
  replace(&members->strangers, look.strangers);
  return true;
}

void vt_process_set_alone(struct vt_process_set *members) {
  members->found.count = 0;
  members->alone = true;
  add(&members->found, members->session);
}

void vt_process_set_free(struct vt_process_set *members) {
  free(members->found.at);
  free(members->strangers.at);
  free(members->text);
}
