#include "workspace/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/descriptors.h"

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
