#define _GNU_SOURCE
#include "limits/limits.h"

#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/watched.h"
#include "base/procfs.h"

/* Process ids are reused, so the list of strangers is dropped after a second. */
enum { FORGET_NS = 1000000000, FIRST_ROOM = 64, ENVIRONMENT_BYTES = 128 * 1024 };

struct look {
  struct vt_process_set *members;
  struct vt_pids found, strangers;
  pid_t own;
  bool failed;
};

static bool add_pid(struct vt_pids *pids, pid_t pid) {
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
  if (!stranger && vt_procfs_has_cookie(pid, members->cookie, members->text, ENVIRONMENT_BYTES)) return true;
  look->failed |= !add_pid(&look->strangers, pid);
  return false;
}

static int visit(void *context, pid_t pid) {
  struct look *look = context;
  const uint64_t enough = look->members->enough;
  if (enough && (uint64_t)look->found.count > enough) return 0; /* a fork bomb must not slow down the scan */
  bool is_member = mark_tells(look->members->mark, look->members->session, pid);
  if (is_member || carries_cookie(look, pid, getsid(pid))) look->failed |= !add_pid(&look->found, pid);
  return 0;
}

static void replace_pids(struct vt_pids *old, struct vt_pids new) {
  free(old->at);
  *old = new;
}

void vt_process_set_open(struct vt_process_set *members, pid_t session, const char *cookie) {
  *members = (struct vt_process_set){.session = session, .cookie = cookie};
  if (cookie[0]) members->text = vt_must(malloc(ENVIRONMENT_BYTES));
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
  replace_pids(&members->found, look.found);
  replace_pids(&members->strangers, look.strangers);
  return true;
}

void vt_process_set_free(struct vt_process_set *members) {
  free(members->found.at);
  free(members->strangers.at);
  free(members->text);
}

enum { TEXT_BYTES = 4096 };

struct use {
  uint64_t own, shared; /* bytes; own: anonymous or in swap */
};

static void add(struct use *sum, struct use more) {
  sum->own += more.own;
  sum->shared += more.shared;
}

/* Sizes are in kB (proc_pid_status(5)). */
static struct use mapped_by(pid_t pid, pid_t *parent) {
  char text[TEXT_BYTES];
  *parent = 0;
  if (vt_procfs_read(pid, "status", text, sizeof text) == 0) return (struct use){0, 0};
  *parent = (pid_t)vt_number_after(text, "\nPPid:");
  return (struct use){1024 * (vt_number_after(text, "\nRssAnon:") + vt_number_after(text, "\nVmSwap:")),
                      1024 * vt_number_after(text, "\nRssShmem:")};
}

/* Between vfork and exec a child shares its parent's memory: not to be counted twice. */
static bool is_of_parent(const struct vt_process_set *members, pid_t pid, pid_t parent) {
  return vt_pids_has(&members->found, parent) && syscall(SYS_kcmp, pid, parent, KCMP_VM, 0, 0) == 0;
}

/* A page mapped by n processes counts 1/n in each (proc_pid_smaps(5)). All that is mapped if smaps_rollup is unreadable. */
static struct use share_of(const struct vt_process_set *members, pid_t pid) {
  char text[TEXT_BYTES];
  pid_t parent;
  struct use mapped = mapped_by(pid, &parent);
  if (mapped.own + mapped.shared == 0 || is_of_parent(members, pid, parent)) return (struct use){0, 0};
  if (vt_procfs_read(pid, "smaps_rollup", text, sizeof text) == 0 || !strstr(text, "\nPss_Anon:")) return mapped;
  return (struct use){1024 * (vt_number_after(text, "\nPss_Anon:") + vt_number_after(text, "\nSwapPss:")),
                      1024 * vt_number_after(text, "\nPss_Shmem:")};
}

/* Memfds take memory without being mapped. */
uint64_t vt_usage_memory(const struct vt_process_set *members, uint64_t limit) {
  static const char *const memfds[] = {"/memfd:", NULL};
  const struct vt_pids *found = &members->found;
  struct use sum = {0, 0};
  pid_t parent;
  for (int at = 0; at < found->count; at++) add(&sum, mapped_by(found->at[at], &parent));
  uint64_t files = vt_usage_of_unlinked(memfds, members, limit);
  if (sum.own + (sum.shared > files ? sum.shared : files) > limit) {
    sum = (struct use){0, 0};
    for (int at = 0; at < found->count; at++) add(&sum, share_of(members, found->at[at]));
  }
  return sum.own + (sum.shared > files ? sum.shared : files);
}

/* proc_pid_stat(5): fields 14 to 17 are utime, stime, cutime, cstime, 22 is starttime. The name before ')' can hold any byte. */
static bool see(pid_t pid, struct vt_seen *seen) {
  char text[TEXT_BYTES];
  if (vt_procfs_read(pid, "stat", text, sizeof text) == 0) return false;
  const char *at = strrchr(text, ')');
  unsigned long long user, system, waited_user, waited_system, start;
  if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %*d %*d %llu", &user,
                    &system, &waited_user, &waited_system, &start) != 5)
    return false;
  *seen = (struct vt_seen){pid, start, user + system, waited_user + waited_system};
  return true;
}

static bool is_same(const struct vt_seen *one, const struct vt_seen *other) {
  return one->pid == other->pid && one->start == other->start;
}

/* Ticks of a former member; 0 if it still runs: it has left the session, its time is not lost. */
static uint64_t ended(const struct vt_seen *seen) {
  struct vt_seen now;
  return see(seen->pid, &now) && is_same(seen, &now) ? 0 : seen->own + seen->waited;
}

/* The ticks of an ended process either appear in its parent's `waited` or are lost. If it ends after its parent was read and
 * before it is read itself, they appear in the parent one call later and then leave `lost`. Both lists ascend by pid. */
static void count_lost(struct vt_cpu *cpu, const struct vt_seen *now, int count) {
  uint64_t vanished = 0, absorbed = 0;
  int before = 0;
  for (int at = 0; at < count; at++) {
    while (before < cpu->count && cpu->seen[before].pid < now[at].pid) vanished += ended(&cpu->seen[before++]);
    bool known = before < cpu->count && is_same(&cpu->seen[before], &now[at]);
    absorbed += now[at].waited - (known ? cpu->seen[before++].waited : 0);
  }
  while (before < cpu->count) vanished += ended(&cpu->seen[before++]);
  uint64_t late = absorbed > vanished ? absorbed - vanished : 0;
  cpu->lost -= late < cpu->lost_last ? late : cpu->lost_last;
  cpu->lost_last = vanished > absorbed ? vanished - absorbed : 0;
  cpu->lost += cpu->lost_last;
}

uint64_t vt_usage_cpu(struct vt_cpu *cpu, const struct vt_process_set *members) {
  struct vt_seen *now = malloc(((size_t)members->found.count + 1) * sizeof *now);
  int count = 0;
  uint64_t sum = 0;
  for (int at = 0; now && at < members->found.count; at++) {
    if (!see(members->found.at[at], &now[count])) continue;
    sum += now[count].own + now[count].waited;
    count++;
  }
  if (!now) return 0;
  count_lost(cpu, now, count);
  free(cpu->seen);
  cpu->seen = now;
  cpu->count = count;
  return sum + cpu->lost;
}
