/* The watcher: a freestanding program, embedded in the addon, that outlives the host and kills the processes it left.
 * Descriptor 3 is the table of commands, 4 a pipe that the host holds open, 5 the directory of the cgroups. It waits until the
 * pipe closes or the host's pidfd reports its end (another process may have inherited the write end). It takes all resources at
 * start: a command may leave the machine without descriptors, memory or time. */
#include "base/watched.h"

enum { TABLE_FD = 3, PIPE_FD = 4, MOST_PASSES = 20000, PAUSE_NS = 1000000 };
/* Passes in a row without a process that end the sweep. Trying all process ids is slow, hence fewer passes. */
enum { CALM_PASSES = 20, CALM_PASSES_OF_IDS = 3 };
/* Later passes pause: the processes found do not end (uninterruptible sleep, proc(5)). */
enum { HURRIED_PASSES = 500 };
/* A cgroup is busy until its last killed process has ended; that of a finished command, while a survivor lives in it. */
enum { MOST_REMOVALS = 3000, LEAST_REMOVALS = 5 };

static char environment[64 * 1024];
static const struct vt_watch_table *table;
static long proc;

static struct vt_watch_slot running[VT_WATCH_TABLE_SLOTS];
static int running_count;

static void take_commands(void) {
  running_count = 0;
  for (int slot = 0; slot < VT_WATCH_TABLE_SLOTS; slot++)
    if (table->commands[slot].session > 0) running[running_count++] = table->commands[slot];
}

/* A command's slot is taken before clone(2), so an empty table stays empty once the host has ended. */
static int has_commands(void) {
  for (int slot = 0; slot < VT_WATCH_TABLE_SLOTS; slot++)
    if (table->commands[slot].session) return 1;
  return 0;
}

static int has_leader_or_mark(int session, uint64_t mark) {
  for (int at = 0; at < running_count; at++)
    if (running[at].session == session || (mark && running[at].mark == mark)) return 1;
  return 0;
}

/* 0: whether there is any. */
static int has_cookie(uint32_t cookie) {
  for (int at = 0; at < running_count; at++)
    if (running[at].cookie && (!cookie || running[at].cookie == cookie)) return 1;
  return 0;
}

static const char cookie_name[] = VT_COOKIE_NAME;
enum {
  COOKIE_NAME_LENGTH = sizeof cookie_name - 1,
  COOKIE_LENGTH = COOKIE_NAME_LENGTH + VT_COOKIE_HOST_DIGITS + 1 + VT_COOKIE_COMMAND_DIGITS,
};

static int starts_with_name(const char *at) {
  for (int i = 0; i < COOKIE_NAME_LENGTH; i++)
    if (at[i] != cookie_name[i]) return 0;
  return 1;
}

static int is_our_cookie(const char *at) {
  if (!starts_with_name(at) || hexadecimal(at + COOKIE_NAME_LENGTH, VT_COOKIE_HOST_DIGITS) != table->host) return 0;
  const char *command = at + COOKIE_NAME_LENGTH + VT_COOKIE_HOST_DIGITS + 1;
  uint32_t id = (uint32_t)hexadecimal(command, VT_COOKIE_COMMAND_DIGITS);
  return id && has_cookie(id);
}

static void name_environment(char *at, int pid) {
  static const char rest[] = "/environ";
  int digits = 1;
  for (int left = pid; left >= 10; left /= 10) digits++;
  for (int i = digits - 1; i >= 0; i--, pid /= 10) at[i] = (char)('0' + pid % 10);
  for (int i = 0; i < (int)sizeof rest; i++) at[digits + i] = rest[i];
}

/* Searches the whole environment for the cookie of a running command: a process may have left the session. */
static int carries_cookie(int pid) {
  char path[24];
  if (!has_cookie(0)) return 0;
  name_environment(path, pid);
  long fd = call3(__NR_openat, proc, (long)path, READ_ONLY), kept = 0, found = 0;
  if (fd < 0) return 0;
  while (!found) {
    long length = call3(__NR_read, fd, (long)environment + kept, (long)sizeof environment - kept);
    if (length <= 0) break;
    length += kept;
    for (long at = 0; at + COOKIE_LENGTH <= length && !found; at++) found = is_our_cookie(environment + at);
    kept = length < COOKIE_LENGTH ? length : COOKIE_LENGTH - 1; /* a cookie may span two reads */
    for (long i = 0; i < kept; i++) environment[i] = environment[length - kept + i];
  }
  call1(__NR_close, fd);
  return (int)found;
}

static int is_member(void *context, int pid) {
  long session = call1(__NR_getsid, pid);
  (void)context;
  return session > 0 && (has_leader_or_mark((int)session, mark_of(pid)) || carries_cookie(pid));
}

static int kill_member(void *context, int pid) { return sweep_kill(pid, context, is_member); }

enum { CGROUPS_FD = 5, BUSY = -16 }; /* asm-generic/errno-base.h */

static const char cgroup_prefix[] = VT_CGROUP_PREFIX, kill_file[] = "/cgroup.kill";
enum { PREFIX_LENGTH = sizeof cgroup_prefix - 1, NAME_ROOM = 64 };

typedef int (*visit)(const char *name, uint32_t command);

/* The command in a name PREFIX PID - HOST - COMMAND; 0: no cgroup of this host. */
static uint32_t command_in(const char *name) {
  for (int at = 0; at < PREFIX_LENGTH; at++)
    if (name[at] != cgroup_prefix[at]) return 0;
  name += PREFIX_LENGTH;
  while (*name >= '0' && *name <= '9') name++;
  if (*name != '-' || hexadecimal(++name, VT_COOKIE_HOST_DIGITS) != table->host) return 0;
  name += VT_COOKIE_HOST_DIGITS;
  if (*name != '-' || !hexadecimal(++name, VT_COOKIE_COMMAND_DIGITS)) return 0;
  return name[VT_COOKIE_COMMAND_DIGITS] ? 0 : (uint32_t)hexadecimal(name, VT_COOKIE_COMMAND_DIGITS);
}

/* A command is in the table from before its cgroup is made until the command has ended. */
static int runs(uint32_t command) {
  for (int slot = 0; slot < VT_WATCH_TABLE_SLOTS; slot++)
    if (table->commands[slot].cgroup == command) return 1;
  return 0;
}

static int each(visit found) {
  static char entries[4096] __attribute__((aligned(8)));
  int sum = 0;
  call3(__NR_lseek, CGROUPS_FD, 0, SEEK_TO);
  for (long length; (length = call3(__NR_getdents64, CGROUPS_FD, (long)entries, sizeof entries)) > 0;)
    for (long at = 0; at < length;) {
      const struct entry *entry = (const void *)(entries + at);
      at += entry->length;
      uint32_t command = command_in(entry->name);
      if (command) sum += found(entry->name, command);
    }
  return sum;
}

static int kill_one(const char *name, uint32_t command) {
  char path[NAME_ROOM + sizeof kill_file];
  int length = 0;
  if (!runs(command)) return 0;
  while (length < NAME_ROOM && name[length]) {
    path[length] = name[length];
    length++;
  }
  for (int at = 0; at < (int)sizeof kill_file; at++) path[length + at] = kill_file[at];
  long fd = call3(__NR_openat, CGROUPS_FD, (long)path, WRITE_ONLY);
  if (fd < 0) return 0;
  call3(__NR_write, fd, (long)"1", 1);
  call1(__NR_close, fd);
  return 1;
}

static int remove_one(const char *name, uint32_t command) {
  return call3(__NR_unlinkat, CGROUPS_FD, (long)name, REMOVE_DIRECTORY) == BUSY && runs(command);
}

/* Kills the cgroups of running commands (Linux 5.14; without effect before). */
static void cgroups_kill(void) { each(kill_one); }

/* Removes empty ones. Returns how many of running commands are still busy. */
static int cgroups_remove(void) { return each(remove_one); }

static void pause_shortly(void) {
  struct pause pause = {0, PAUSE_NS};
  call2(__NR_nanosleep, (long)&pause, 0);
}

/* Killing the cgroup also ends processes that left the session and cleared their environment. */
static void sweep(void) {
  int blind = proc < 0 || sweep_is_blind();
  int enough = blind ? CALM_PASSES_OF_IDS : CALM_PASSES;
  for (int calm = 0, pass = 0; calm < enough && pass < MOST_PASSES; pass++) {
    take_commands();
    cgroups_kill();
    int found = blind ? sweep_every_id(0, kill_member) : sweep_listed(proc, 0, kill_member);
    calm = found ? 0 : calm + 1;
    if (calm || pass > HURRIED_PASSES) pause_shortly();
  }
}

static void remove_cgroups(void) {
  for (int tried = 0; tried < MOST_REMOVALS; tried++) {
    if (cgroups_remove() == 0 && tried >= LEAST_REMOVALS) return;
    cgroups_kill();
    pause_shortly();
  }
}

/* Not in a sandbox of vitrine, which would refuse and report it: known by its mark, or else by its emulated setsid(2). */
static void be_spared(void) {
  static const char never[] = "-1000"; /* OOM_SCORE_ADJ_MIN, linux/oom.h */
  if (mark_of(0) || call1(__NR_getsid, 0) != call1(__NR_getpid, 0)) return;
  long fd = call3(__NR_openat, CWD, (long)"/proc/self/oom_score_adj", WRITE_ONLY);
  if (fd >= 0) call3(__NR_write, fd, (long)never, sizeof never - 1);
  if (fd >= 0) call1(__NR_close, fd);
}

/* Best effort, where permitted: no OOM kill, and a high priority among many processes. */
static void get_ready(void) {
  be_spared();
  call3(__NR_setpriority, 0, 0, -20);
  call1(__NR_mlockall, LOCK_CURRENT | LOCK_FUTURE);
}

static void wait_for_host(void) {
  struct poll_entry polled[2] = {{PIPE_FD, READABLE, 0}, {-1, READABLE, 0}};
  polled[1].fd = (int)call2(NR_PIDFD_OPEN, call1(__NR_getppid, 0), 0);
  while (call(__NR_ppoll, (long)polled, 2, 0, 0, 0, 0) <= 0) continue;
}

__attribute__((noreturn)) static void end(int status) {
  for (;;) call1(__NR_exit_group, status);
}

/* Without the table it ends at once, so that the host starts another. */
__attribute__((noreturn, used)) void watch(void) {
  long pages = call(__NR_mmap, 0, sizeof *table, PROTECT_READ, MAP_SHARED_PAGES, TABLE_FD, 0);
  if (pages < 0) end(1);
  table = (const void *)pages;
  proc = call3(__NR_openat, CWD, (long)"/proc", DIRECTORY_FLAG);
  get_ready();
  wait_for_host();
  if (has_commands()) sweep();
  remove_cgroups();
  end(0);
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call watch\n");
#else
__asm__(".globl _start\n_start: mov x29, #0\n mov x30, #0\n b watch\n");
#endif
