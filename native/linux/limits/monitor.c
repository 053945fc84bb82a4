#define _GNU_SOURCE
#include "limits/limits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/command.h"
#include "base/files.h"
#include "base/threads.h"

#define NEVER INT64_MAX
#define MS INT64_C(1000000)

/* The pause after a measurement takes SHARE times its processor time, but not longer than LONGEST_PAUSE: the command decides how many
 * descriptors and files there are to read. */
enum { SHARE = 20, LONGEST_PAUSE = 50 * 1000000 };

struct monitor {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct vt_meter *meters; /* under the lock */
  int64_t wakes_at;        /* under the lock: monotonic nanoseconds; NEVER: only when told */
};

struct vt_meter {
  struct vt_meter *next;
  struct monitor *monitor;
  struct vt_limits limits; /* those of its kind; 0: none */
  char cookie[64];
  char cgroup[VT_CGROUP_NAME];
  char **directories; /* NULL: none */
  struct vt_process_set members;
  struct vt_cpu cpu;
  int64_t due;       /* monotonic nanoseconds; NEVER: it measures no more */
  bool busy, closed; /* under the lock. busy: the thread measures; closed: the owner is done with it */
  const char *exceeded; /* atomic: the limit; NULL: none */
  int last_wanted, last_taken; /* atomic */
};

static struct monitor monitors[VT_MONITORS] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};

/* What one measurement has found. */
struct reading {
  struct vt_cgroup_state kernel;
  const char *over; /* the limit; NULL: none */
  int64_t calm; /* nanoseconds for which no limit can be exceeded, whatever the command does */
};

static int64_t between(int64_t least, int64_t wanted, int64_t most) { return wanted < least ? least : wanted > most ? most : wanted; }

static void calm_for(struct reading *reading, int64_t calm) {
  if (calm < reading->calm) reading->calm = calm;
}

/* In 10 ms one process can become a few hundred. */
static void read_processes(struct vt_meter *meter, struct reading *reading) {
  uint64_t limit = meter->limits.processes, count = (uint64_t)meter->members.found.count;
  if (reading->kernel.processes > count) count = reading->kernel.processes;
  if (count > limit) reading->over = "processes";
  calm_for(reading, count > limit / 2 ? 3 * MS : 10 * MS);
}

/* Assumes that the command runs on all processors. */
static void read_cpu(struct vt_meter *meter, struct reading *reading) {
  uint64_t second = (uint64_t)sysconf(_SC_CLK_TCK), limit = meter->limits.cpu_seconds * second;
  uint64_t used = vt_usage_cpu(&meter->cpu, &meter->members), told = reading->kernel.cpu_microseconds * second / 1000000;
  if (told > used) used = told;
  if (used >= limit) reading->over = "cpu";
  else calm_for(reading, between(5 * MS, (int64_t)((limit - used) * 1000 / second) * MS / sysconf(_SC_NPROCESSORS_ONLN), 100 * MS));
}

/* No process fits into less than two pages, one of stack and one of data. */
static bool is_hopeless(uint64_t bytes) { return bytes && bytes < 2 * (uint64_t)sysconf(_SC_PAGESIZE); }

/* Assumes that memory fills at 8 GB/s (8 bytes per nanosecond) at most. */
static void read_memory(struct vt_meter *meter, struct reading *reading) {
  uint64_t limit = meter->limits.memory_bytes, used = vt_usage_memory(&meter->members, limit);
  if (reading->kernel.over_memory || used > limit) reading->over = "memory";
  else calm_for(reading, between(1 * MS, (int64_t)((limit - used) / 8), 50 * MS));
}

/* Assumes that a disk takes 2 GB/s at most; tmpfs is not much faster. */
static int64_t time_to_fill(uint64_t bytes) { return between(5 * MS, (int64_t)(bytes / 2), 200 * MS); }

static void read_private_tmp(struct vt_meter *meter, struct reading *reading) {
  uint64_t limit = meter->limits.private_tmp_bytes;
  uint64_t used = vt_usage_of_disk((const char *const *)meter->directories, &meter->members, limit);
  if (used > limit) reading->over = "private_tmp";
  else calm_for(reading, time_to_fill(limit - used));
}

/* Cheap ones first: an exceeded limit saves the rest. */
static struct reading measure(struct vt_meter *meter) {
  struct reading reading = {.calm = NEVER};
  if (meter->cgroup[0]) reading.kernel = vt_cgroup_look(meter->cgroup);
  if (meter->limits.processes) read_processes(meter, &reading);
  if (meter->limits.cpu_seconds && !reading.over) read_cpu(meter, &reading);
  if (meter->limits.memory_bytes && !reading.over) read_memory(meter, &reading);
  if (meter->limits.private_tmp_bytes && !reading.over) read_private_tmp(meter, &reading);
  return reading;
}

/* The members first; where they cannot be listed, the previous list serves. */
static struct reading look(struct vt_meter *meter) {
  int64_t before = vt_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  vt_process_set_refresh(&meter->members, vt_nanoseconds(CLOCK_MONOTONIC));
  struct reading reading = measure(meter);
  int64_t pause = between(0, SHARE * (vt_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before), LONGEST_PAUSE);
  meter->due = reading.over ? NEVER : vt_nanoseconds(CLOCK_MONOTONIC) + (reading.calm > pause ? reading.calm : pause);
  return reading;
}

static void take(struct vt_meter *meter, bool last) {
  struct reading reading = {.over = vt_meter_exceeded(meter)};
  if (!reading.over) reading = look(meter);
  if (reading.over) __atomic_store_n(&meter->exceeded, reading.over, __ATOMIC_RELEASE);
  if (reading.over && meter->cgroup[0]) vt_cgroup_kill(meter->cgroup);
  if (last) meter->due = NEVER;
  if (last) __atomic_store_n(&meter->last_taken, 1, __ATOMIC_RELEASE);
  if (reading.over || last) vt_mailbox_wake();
}

static int64_t due_of(const struct vt_meter *meter) {
  bool last_wanted = __atomic_load_n(&meter->last_wanted, __ATOMIC_ACQUIRE);
  return last_wanted && !__atomic_load_n(&meter->last_taken, __ATOMIC_ACQUIRE) ? 0 : meter->due;
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
  vt_process_set_free(&meter->members);
  free(meter->cpu.seen);
  free(meter->directories);
  free(meter);
}

static void take_unlocked(struct monitor *monitor, struct vt_meter *meter) {
  meter->busy = true;
  pthread_mutex_unlock(&monitor->lock);
  take(meter, __atomic_load_n(&meter->last_wanted, __ATOMIC_ACQUIRE));
  pthread_mutex_lock(&monitor->lock);
  meter->busy = false;
  if (meter->closed) discard(meter);
}

static void *serve(void *context) {
  struct monitor *monitor = context;
  pthread_mutex_lock(&monitor->lock);
  for (;;) {
    struct vt_meter *meter = most_due(monitor);
    int64_t due = meter ? due_of(meter) : NEVER;
    monitor->wakes_at = due;
    if (due == NEVER) pthread_cond_wait(&monitor->changed, &monitor->lock);
    else if (due > vt_nanoseconds(CLOCK_MONOTONIC)) vt_condition_wait(&monitor->changed, &monitor->lock, due);
    else take_unlocked(monitor, meter);
  }
  return NULL;
}

static int start(int kind, const char *name) {
  vt_condition_open(&monitors[kind].changed);
  int failed = vt_thread_try(name, serve, &monitors[kind]);
  if (failed) pthread_cond_destroy(&monitors[kind].changed);
  return failed;
}

static int start_quick(void) { return start(VT_MONITOR_PROC, "vitrine-meter"); }
static int start_disk(void) { return start(VT_MONITOR_DISK, "vitrine-disk"); }

static bool measures_processes(const struct vt_limits *limits) { return limits->processes || limits->cpu_seconds || limits->memory_bytes; }

int vt_monitor_ready(const struct vt_limits *limits) {
  static struct vt_once quick = VT_ONCE, disk = VT_ONCE;
  if (measures_processes(limits) && vt_start_once(&quick, start_quick)) return -1;
  return limits->private_tmp_bytes ? vt_start_once(&disk, start_disk) : 0;
}

/* A command that ends before the first measurement gets the last one only. */
static struct vt_meter *make(const struct vt_command *command, int kind, int64_t first) {
  struct vt_meter *meter = vt_must(calloc(1, sizeof *meter));
  meter->monitor = &monitors[kind];
  meter->limits = command->limits;
  meter->due = vt_nanoseconds(CLOCK_MONOTONIC) + first;
  memcpy(meter->cookie, command->cookie, sizeof meter->cookie);
  vt_process_set_open(&meter->members, command->pid, meter->cookie);
  meter->members.mark = command->mark;
  meter->members.enough = command->limits.processes;
  return meter;
}

static void begin(struct vt_meter *meter) {
  struct monitor *monitor = meter->monitor;
  pthread_mutex_lock(&monitor->lock);
  meter->next = monitor->meters;
  monitor->meters = meter;
  if (meter->due < monitor->wakes_at) pthread_cond_signal(&monitor->changed);
  pthread_mutex_unlock(&monitor->lock);
}

static struct vt_meter *open_proc(const struct vt_command *command) {
  if (!measures_processes(&command->limits)) return NULL;
  struct vt_meter *meter = make(command, VT_MONITOR_PROC, 2 * MS);
  meter->limits.private_tmp_bytes = 0;
  memcpy(meter->cgroup, command->cgroup, sizeof meter->cgroup);
  if (is_hopeless(command->limits.memory_bytes)) meter->exceeded = "memory";
  return meter;
}

/* A copy of the directories: a measurement can outlast its command. */
static struct vt_meter *open_disk(const struct vt_command *command) {
  uint64_t bytes = command->limits.private_tmp_bytes;
  if (!bytes || !command->writable || !command->writable[0]) return NULL;
  struct vt_meter *meter = make(command, VT_MONITOR_DISK, time_to_fill(bytes));
  meter->limits = (struct vt_limits){.private_tmp_bytes = bytes};
  meter->directories = vt_must(vt_paths_copy(command->writable));
  return meter;
}

struct vt_meter *vt_meter_open(const struct vt_command *command, int kind) {
  struct vt_meter *meter = kind == VT_MONITOR_PROC ? open_proc(command) : open_disk(command);
  if (meter) begin(meter);
  return meter;
}

const char *vt_meter_exceeded(const struct vt_meter *meter) { return __atomic_load_n(&meter->exceeded, __ATOMIC_ACQUIRE); }

/* Of a command that has ended before it could be over a limit, only a cgroup or files tell more: the kernel may have ended it. */
static bool has_more_to_tell(const struct vt_meter *meter) {
  return meter->directories ? !vt_usage_has_no_files((const char *const *)meter->directories) : meter->cgroup[0] != 0;
}

bool vt_meter_settle(struct vt_meter *meter, bool alone) {
  if (__atomic_load_n(&meter->last_taken, __ATOMIC_ACQUIRE)) return true;
  if (alone && !has_more_to_tell(meter)) return true;
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
