#define _GNU_SOURCE
#include "limits/usage.h"

#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procfs.h"
#include "limits/checks.h"
#include "limits/unlinked_files.h"

enum { TEXT_BYTES = 4096, FILES_NS = 20000000, FILES_SHARE = 50 };

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

/* Scans every 20 to 50 ms; where there are few descriptors, for at most 2 % of a processor. */
static uint64_t in_files(struct vt_memory *memory, const struct vt_process_set *members, uint64_t limit) {
  static const char *const prefixes[] = {"/memfd:", NULL};
  if (vt_nanoseconds(CLOCK_MONOTONIC) < memory->due) return memory->in_files;
  int64_t before = vt_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  memory->in_files = vt_unlinked_files(prefixes, members, limit);
  int64_t pause = vt_limit_pause(vt_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before, FILES_SHARE);
  memory->due = vt_nanoseconds(CLOCK_MONOTONIC) + (pause > FILES_NS ? pause : FILES_NS);
  return memory->in_files;
}

uint64_t vt_usage_memory(struct vt_memory *memory, const struct vt_process_set *members, uint64_t limit) {
  const struct vt_pids *found = &members->found;
  struct use sum = {0, 0};
  pid_t parent;
  if (members->alone) return 0;
  for (int at = 0; at < found->count; at++) add(&sum, mapped_by(found->at[at], &parent));
  uint64_t files = in_files(memory, members, limit);
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
