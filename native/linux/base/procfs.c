#define _GNU_SOURCE
#include "base/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/watched.h"

int vt_procfs_open(void) { return open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

int vt_procfs_each(int proc, void *context, vt_procfs_visit found) { return sweep_listed(proc, context, found); }

int vt_procfs_file(pid_t pid, const char *name) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

bool vt_procfs_find_link(pid_t pid, void *context, vt_procfs_link found) {
  char target[PATH_MAX + 16]; /* " (deleted)" */
  DIR *directory = vt_list(vt_procfs_file(pid, "fd"));
  bool done = false;
  for (const struct dirent *entry; directory && !done && (entry = readdir(directory));) {
    ssize_t length = readlinkat(dirfd(directory), entry->d_name, target, sizeof target - 1);
    if (length > 0) target[length] = 0;
    done = length > 0 && found(context, dirfd(directory), entry->d_name, target);
  }
  if (directory) closedir(directory);
  return done;
}

size_t vt_procfs_read(pid_t pid, const char *name, char *buffer, size_t size) {
  buffer[0] = 0;
  int fd = vt_procfs_file(pid, name);
  if (fd < 0) return 0;
  ssize_t length = read(fd, buffer, size - 1);
  close(fd);
  if (length < 0) length = 0;
  buffer[length] = 0;
  return (size_t)length;
}

int vt_procfs_has_cookie(pid_t pid, const char *cookie, char *buffer, size_t size) {
  size_t length = vt_procfs_read(pid, "environ", buffer, size);
  return memmem(buffer, length, cookie, strlen(cookie)) != NULL;
}

uint64_t vt_number_after(const char *text, const char *label) {
  const char *at = strstr(text, label);
  return at ? strtoull(at + strlen(label), NULL, 10) : 0;
}

uint64_t vt_bits_after(const char *text, const char *label) {
  const char *at = strstr(text, label);
  return at ? strtoull(at + strlen(label), NULL, 16) : 0;
}

/* The kernel turns a deadly signal into a pending SIGKILL at once. Fields 9, 20 and 31: flags, number of threads, pending signals. */
bool vt_procfs_is_ending(pid_t pid) {
  enum { PF_EXITING = 4 }; /* linux/sched.h */
  char stat[1024];
  unsigned flags;
  int threads;
  unsigned long pending;
  vt_procfs_read(pid, "stat", stat, sizeof stat);
  const char *fields = strrchr(stat, ')');
  if (!fields || sscanf(fields, ") %*s %*s %*s %*s %*s %*s %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d"
                                " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu", &flags, &threads, &pending) != 3)
    return false;
  return (threads == 1 && flags & PF_EXITING) || pending & 1UL << (SIGKILL - 1);
}

int vt_procfs_umask(pid_t thread) {
  char status[256]; /* Umask is the second line, after a name of at most 64 bytes */
  unsigned umask;
  vt_procfs_read(thread, "status", status, sizeof status);
  const char *found = strstr(status, "\nUmask:");
  return found && sscanf(found, "\nUmask: %o", &umask) == 1 ? (int)umask : -1;
}

/* Octal escapes of proc_pid_mountinfo(5). */
static void unescape(char *text) {
  char *to = text;
  for (const char *at = text; *at; to++) {
    bool escaped = at[0] == '\\' && at[1] && at[2] && at[3];
    *to = escaped ? (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0')) : *at;
    at += escaped ? 4 : 1;
  }
  *to = 0;
}

/* The fifth field. */
static char *mount_point(char *line) {
  for (int field = 1; field < 5 && line; field++) {
    line = strchr(line, ' ');
    if (line) line++;
  }
  if (line) line[strcspn(line, " ")] = 0;
  return line;
}

int vt_mounts_each(void *context, vt_mounts_visit found) {
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  char *line = NULL;
  size_t room = 0;
  if (!mounts) return -1;
  while (getline(&line, &room, mounts) > 0) {
    char *path = mount_point(line);
    if (!path) continue;
    unescape(path);
    found(context, path);
  }
  int error = feof(mounts) ? 0 : errno;
  free(line);
  fclose(mounts);
  errno = error;
  return error ? -1 : 0;
}

/* poll(2) reports each change once: proc_pid_mounts(5), the same for mountinfo. */
long vt_mounts_changes(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct pollfd polled = {.fd = -1, .events = POLLPRI};
  static long changes;
  pthread_mutex_lock(&lock);
  if (polled.fd < 0) polled.fd = vt_above_standard(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  if (poll(&polled, 1, 0) != 0) changes++;
  long told = polled.fd < 0 ? -1 : changes;
  pthread_mutex_unlock(&lock);
  return told;
}
