#define _GNU_SOURCE
#include "limits/monitor.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/command.h"
#include "limits/disk_usage.h"
#include "base/mailbox.h"
#include "base/memory.h"
#include "base/paths.h"
#include "base/threads.h"

#define NEVER INT64_MAX

/* The pause after a reading takes SHARE times its processor time, as far as vt_limit_pause() allows. */
enum { SHARE = 20, GAUGES = 3, FIRST_NS = 2000000 };

struct gauge {
  enum vt_limit limit;
  int64_t due; /* monotonic nanoseconds; NEVER: no such limit */
};

struct monitor {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct vt_meter *meters; /* under the lock */
  int64_t wakes_at;        /* under the lock: monotonic nanoseconds; NEVER: only when told */
};

struct vt_meter {
  struct vt_meter *next;
  struct monitor *monitor;
  struct vt_limit_subject subject;
  struct gauge gauges[GAUGES];
  bool busy, closed; /* under the lock. busy: the thread measures; closed: the owner is done with it */
  int last_wanted, last_taken, exceeded; /* atomic */
};

static struct monitor monitors[VT_MONITORS] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};

/* `spent`: processor time of the scan for members. */
static bool check(struct vt_meter *meter, struct gauge *gauge, int64_t spent) {
  int64_t before = vt_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  struct vt_reading reading = vt_limit_check(&meter->subject, gauge->limit);
  int64_t pause = vt_limit_pause(vt_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before + spent, SHARE);
  gauge->due = vt_nanoseconds(CLOCK_MONOTONIC) + (reading.calm > pause ? reading.calm : pause);
  if (reading.over) __atomic_store_n(&meter->exceeded, (int)gauge->limit, __ATOMIC_RELEASE);
  return reading.over;
}

static void rest(struct vt_meter *meter) {
  for (int at = 0; at < GAUGES; at++) meter->gauges[at].due = NEVER;
}

/* Reads the gauges that are due, at the command's end all of them. */
static void look(struct vt_meter *meter, bool alone) {
  bool last = alone || __atomic_load_n(&meter->last_wanted, __ATOMIC_ACQUIRE);
  bool over = vt_meter_exceeded(meter) != VT_LIMIT_NONE;
  int64_t now = vt_nanoseconds(CLOCK_MONOTONIC), before = vt_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  /* If this fails, the previous list serves. */
  if (alone) vt_process_set_alone(&meter->subject.members);
  else vt_process_set_refresh(&meter->subject.members, now);
  bool grouped = meter->subject.cgroup[0] != 0;
  if (grouped) meter->subject.kernel = vt_cgroup_look(meter->subject.cgroup);
  int64_t spent = vt_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before;
  for (int at = 0; at < GAUGES && !over; at++) {
    struct gauge *gauge = &meter->gauges[at];
    if (gauge->due != NEVER && (last || gauge->due <= now)) over = check(meter, gauge, spent);
  }
  if (over && grouped) vt_cgroup_kill(meter->subject.cgroup);
  if (over || last) rest(meter);
  if (last) __atomic_store_n(&meter->last_taken, 1, __ATOMIC_RELEASE);
  if ((over || last) && !alone) vt_mailbox_wake();
}

static int64_t due_of(const struct vt_meter *meter) {
  bool last_wanted = __atomic_load_n(&meter->last_wanted, __ATOMIC_ACQUIRE);
  if (last_wanted && !__atomic_load_n(&meter->last_taken, __ATOMIC_ACQUIRE)) return 0;
  int64_t soonest = NEVER;
  for (int at = 0; at < GAUGES; at++)
    if (meter->gauges[at].due < soonest) soonest = meter->gauges[at].due;
  return soonest;
}

static struct vt_meter *most_due(struct monitor *monitor) {
  struct vt_meter *first = monitor->meters;
  for (struct vt_meter *meter = first; meter; meter = meter->next)
    if (due_of(meter) < due_of(first)) first = meter;
  return first;
}

static void discard(struct vt_meter *meter) {
  struct vt_meter **at = &meter->monitor->meters;
  while (*at != meter) at = &(*at)->next;
  *at = meter->next;
  vt_process_set_free(&meter->subject.members);
  free(meter->subject.cpu.seen);
  free(meter->subject.directories);
  free(meter);
}

static void look_unlocked(struct monitor *monitor, struct vt_meter *meter) {
  meter->busy = true;
  pthread_mutex_unlock(&monitor->lock);
  look(meter, false);
  pthread_mutex_lock(&monitor->lock);
  meter->busy = false;
  if (meter->closed) discard(meter);
}

static void *measure(void *context) {
  struct monitor *monitor = context;
  pthread_mutex_lock(&monitor->lock);
  for (;;) {
    struct vt_meter *meter = most_due(monitor);
    int64_t due = meter ? due_of(meter) : NEVER;
    monitor->wakes_at = due;
    if (due == NEVER) pthread_cond_wait(&monitor->changed, &monitor->lock);
    else if (due > vt_nanoseconds(CLOCK_MONOTONIC)) vt_condition_wait(&monitor->changed, &monitor->lock, due);
    else look_unlocked(monitor, meter);
  }
  return NULL;
}

static int start(int kind, const char *name) {
  vt_condition_open(&monitors[kind].changed);
  int failed = vt_thread_try(name, measure, &monitors[kind]);
  if (failed) pthread_cond_destroy(&monitors[kind].changed);
  return failed;
}

static int start_quick(void) { return start(VT_MONITOR_PROC, "vitrine-meter"); }
static int start_disk(void) { return start(VT_MONITOR_DISK, "vitrine-disk"); }

int vt_monitor_ready(const struct vt_limits *limits) {
  static struct vt_once quick = VT_ONCE, disk = VT_ONCE;
  bool measures = limits->processes || limits->cpu_seconds || limits->memory_bytes;
  if (measures && vt_start_once(&quick, start_quick)) return -1;
  return limits->private_tmp_bytes ? vt_start_once(&disk, start_disk) : 0;
}

/* Cheap gauges first: an exceeded one saves the rest. A command that ends before the first is due gets the last measurement only. */
static bool set_gauges(struct gauge gauges[GAUGES], const struct vt_command *command, int kind) {
  const struct vt_limits *limits = &command->limits;
  bool quick = kind == VT_MONITOR_PROC, writes = command->writable && command->writable[0];
  int64_t now = vt_nanoseconds(CLOCK_MONOTONIC), first = now + FIRST_NS;
  int64_t filled = now + vt_limit_tmp_calm(limits->private_tmp_bytes);
  gauges[0] = (struct gauge){VT_LIMIT_PROCESSES, quick && limits->processes ? first : NEVER};
  gauges[1] = (struct gauge){VT_LIMIT_CPU, quick && limits->cpu_seconds ? first : NEVER};
  gauges[2] = quick ? (struct gauge){VT_LIMIT_MEMORY, limits->memory_bytes ? first : NEVER}
                    : (struct gauge){VT_LIMIT_PRIVATE_TMP, limits->private_tmp_bytes && writes ? filled : NEVER};
  return gauges[0].due != NEVER || gauges[1].due != NEVER || gauges[2].due != NEVER;
}

struct vt_meter *vt_meter_open(const struct vt_command *command, int kind) {
  struct gauge gauges[GAUGES];
  if (!set_gauges(gauges, command, kind)) return NULL;
  struct vt_meter *meter = vt_must(calloc(1, sizeof *meter));
  struct vt_limit_subject *subject = &meter->subject;
  subject->limits = command->limits;
  if (kind == VT_MONITOR_PROC) memcpy(subject->cgroup, command->cgroup, sizeof subject->cgroup);
  memcpy(subject->cookie, command->cookie, sizeof subject->cookie);
  vt_process_set_open(&subject->members, command->pid, subject->cookie);
  subject->members.mark = command->mark;
  subject->members.enough = command->limits.processes;
  /* Copies: a measurement can outlast its command. */
  if (kind == VT_MONITOR_DISK) subject->directories = vt_must(vt_paths_copy(command->writable));
  memcpy(meter->gauges, gauges, sizeof gauges);
  meter->monitor = &monitors[kind];
  pthread_mutex_lock(&meter->monitor->lock);
  meter->next = meter->monitor->meters;
  meter->monitor->meters = meter;
  if (due_of(meter) < meter->monitor->wakes_at) pthread_cond_signal(&meter->monitor->changed);
  pthread_mutex_unlock(&meter->monitor->lock);
  return meter;
}

enum vt_limit vt_meter_exceeded(const struct vt_meter *meter) {
  return (enum vt_limit)__atomic_load_n(&meter->exceeded, __ATOMIC_ACQUIRE);
}

/* The last measurement on the caller's thread, where it is cheap: one ended process, or empty directories. */
static bool look_here(struct vt_meter *meter) {
  const char *const *directories = (const char *const *)meter->subject.directories;
  pthread_mutex_lock(&meter->monitor->lock);
  bool can = !meter->busy && (!directories || vt_disk_is_empty(directories));
  if (can && !directories) look(meter, true);
  if (can) rest(meter);
  if (can) __atomic_store_n(&meter->last_taken, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&meter->monitor->lock);
  return can;
}

bool vt_meter_settle(struct vt_meter *meter, bool alone) {
  if (__atomic_load_n(&meter->last_taken, __ATOMIC_ACQUIRE)) return true;
  if (alone && look_here(meter)) return true;
  if (__atomic_exchange_n(&meter->last_wanted, 1, __ATOMIC_ACQ_REL)) return false;
  pthread_mutex_lock(&meter->monitor->lock);
  pthread_cond_signal(&meter->monitor->changed);
  pthread_mutex_unlock(&meter->monitor->lock);
  return false;
}

void vt_meter_close(struct vt_meter *meter) {
  struct monitor *monitor = meter->monitor;
  pthread_mutex_lock(&monitor->lock);
  if (meter->busy) meter->closed = true;
  else discard(meter);
  pthread_mutex_unlock(&monitor->lock);
}
