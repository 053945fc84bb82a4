#define _GNU_SOURCE
#include "lookup/worker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"
#include "base/kernel.h"
#include "base/paths.h"
#include "lookup/answer.h"

enum { LARGEST_TEXT = 1024 * 1024 };

static int find(const char *path, struct vt_answer *answer) {
  int fd = vt_path_is_plain(path) ? vt_path_open_direct(AT_FDCWD, path, O_PATH | O_CLOEXEC) : -1;
  bool direct = fd >= 0;
  if (!direct) fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = direct ? vt_answer_append(answer, path, strlen(path)) : vt_answer_append_path_of(answer, fd);
  close(fd);
  return error;
}

static int follow(char path[PATH_MAX], size_t length, int *links) {
  struct vt_path_walk walk = {.rest = path + length, .links = *links};
  char target[PATH_MAX], link[PATH_MAX];
  while (length && path[length - 1] == '/') length--; /* with a trailing slash it would be resolved */
  memcpy(link, path, length);
  link[length] = 0;
  int error = vt_path_follow(&walk, link, target);
  if (error) return error;
  *links = walk.links;
  while (length && path[length - 1] != '/') length--;
  if (target[0] == '/') length = 0;
  if (length + strlen(walk.text) >= PATH_MAX) return ENAMETOOLONG;
  strcpy(path + length, walk.text);
  return 0;
}

static int add_names(const char *block, size_t length, struct vt_answer *answer) {
  for (size_t at = 0; at < length;) {
    const struct entry *entry = (const struct entry *)(const void *)(block + at);
    at += entry->length;
    if (vt_is_dots(entry->name)) continue;
    int error = vt_answer_append(answer, entry->type == DT_LNK || entry->type == DT_UNKNOWN ? "l" : "-", 1);
    if (!error) error = vt_answer_append(answer, entry->name, strlen(entry->name) + 1);
    if (error) return error;
  }
  return 0;
}

static int look_into(const char *path, char *block, struct vt_answer *answer) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno;
  long length;
  int error = 0;
  while (!error && (length = syscall(SYS_getdents64, fd, block, VT_NAMES)) != 0)
    error = length < 0 ? errno : add_names(block, (size_t)length, answer);
  close(fd);
  return error;
}

static int look_whether(const char *path) {
  struct stat status;
  return fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) ? errno : 0;
}

static int look_for_directory(const char *path) {
  struct stat status;
  if (stat(path, &status)) return errno;
  if (!S_ISDIR(status.st_mode)) return ENOTDIR;
  return access(path, X_OK) ? errno : 0;
}

static int read_all(int fd, struct vt_answer *answer) {
  ssize_t length;
  if (answer->room > LARGEST_TEXT + 1) answer->room = LARGEST_TEXT + 1;
  while ((length = read(fd, answer->at + answer->length, answer->room - answer->length)) > 0)
    answer->length += (size_t)length;
  if (length < 0) return errno;
  return answer->length == answer->room ? EFBIG : 0;
}

static int open_again(int place) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", place);
  return open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int read_regular(int place, struct vt_answer *answer) {
  struct stat status;
  if (fstat(place, &status)) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return EINVAL;
  int fd = open_again(place);
  if (fd < 0) return errno == ENOENT ? EIO : errno; /* no /proc; ENOENT would mean that the file does not exist */
  int error = read_all(fd, answer);
  close(fd);
  return error;
}

/* The type first: opening a device can have effects, opening a FIFO wakes a waiting writer (fifo(7)). */
static int look_at_text(const char *path, struct vt_answer *answer) {
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return errno;
  int error = read_regular(place, answer);
  close(place);
  return error;
}

static int look_at(const char *question, void *block, struct vt_answer *answer) {
  const char *path = question + 1;
  switch ((enum vt_question)question[0]) {
    case VT_QUESTION_WHERE: return vt_lookup_where(path, find, follow, answer);
    case VT_QUESTION_NAMES: return look_into(path, block, answer);
    case VT_QUESTION_EXISTS: return look_whether(path);
    case VT_QUESTION_DIRECTORY: return look_for_directory(path);
    case VT_QUESTION_TEXT: return look_at_text(path, answer);
    case VT_QUESTION_PROGRAM: return vt_lookup_program(path, find, answer);
    case VT_QUESTION_STATE: return EINVAL;
  }
  return EINVAL;
}

void vt_lookup_run(const char *questions, size_t length, struct vt_answers *answers) {
  vt_answer_all(questions, length, look_at, answers->names, answers->at, VT_ANSWERS, &answers->used);
}
