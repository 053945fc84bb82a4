#include "watcher/cgroups.h"

#include "base/raw_syscalls.h"
#include "base/watch_table.h"

enum { CGROUPS_FD = 5, BUSY = -16 }; /* asm-generic/errno-base.h */

static const char prefix[] = VT_CGROUP_PREFIX, kill_file[] = "/cgroup.kill";
enum { PREFIX_LENGTH = sizeof prefix - 1, NAME_ROOM = 64 };

typedef int (*visit)(const struct vt_watch_table *table, const char *name, uint32_t command);

/* The command in a name PREFIX PID - HOST - COMMAND; 0: no cgroup of this host. */
static uint32_t command_in(const char *name, uint64_t host) {
  for (int at = 0; at < PREFIX_LENGTH; at++)
    if (name[at] != prefix[at]) return 0;
  name += PREFIX_LENGTH;
  while (*name >= '0' && *name <= '9') name++;
  if (*name != '-' || hexadecimal(++name, VT_COOKIE_HOST_DIGITS) != host) return 0;
  name += VT_COOKIE_HOST_DIGITS;
  if (*name != '-' || !hexadecimal(++name, VT_COOKIE_COMMAND_DIGITS)) return 0;
  return name[VT_COOKIE_COMMAND_DIGITS] ? 0 : (uint32_t)hexadecimal(name, VT_COOKIE_COMMAND_DIGITS);
}

/* A command is in the table from before its cgroup is made until the command has ended. */
static int runs(const struct vt_watch_table *table, uint32_t command) {
  for (int slot = 0; slot < VT_WATCH_TABLE_SLOTS; slot++)
    if (table->commands[slot].cgroup == command) return 1;
  return 0;
}

static int each(const struct vt_watch_table *table, visit found) {
  static char entries[4096] __attribute__((aligned(8)));
  int sum = 0;
  call3(__NR_lseek, CGROUPS_FD, 0, SEEK_TO);
  for (long length; (length = call3(__NR_getdents64, CGROUPS_FD, (long)entries, sizeof entries)) > 0;)
    for (long at = 0; at < length;) {
      const struct entry *entry = (const void *)(entries + at);
      at += entry->length;
      uint32_t command = command_in(entry->name, table->host);
      if (command) sum += found(table, entry->name, command);
    }
  return sum;
}

static int kill_one(const struct vt_watch_table *table, const char *name, uint32_t command) {
  char path[NAME_ROOM + sizeof kill_file];
  int length = 0;
  if (!runs(table, command)) return 0;
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

static int remove_one(const struct vt_watch_table *table, const char *name, uint32_t command) {
  return call3(__NR_unlinkat, CGROUPS_FD, (long)name, REMOVE_DIRECTORY) == BUSY && runs(table, command);
}

void cgroups_kill(const struct vt_watch_table *table) { each(table, kill_one); }

int cgroups_remove(const struct vt_watch_table *table) { return each(table, remove_one); }
