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

enum { HEAD = 2 * sizeof(uint32_t), LARGEST_TEXT = 1024 * 1024 };

struct answer {
  char *at;
  size_t length, room;
};

static int append(struct answer *answer, const char *bytes, size_t length) {
  if (length > answer->room - answer->length) return ENOBUFS;
  memcpy(answer->at + answer->length, bytes, length);
  answer->length += length;
  return 0;
}

static bool is_deleted(const char *path, size_t length) {
  static const char mark[] = " (deleted)"; /* proc(5), /proc/pid/fd */
  const size_t end = sizeof mark - 1;
  return length > end && memcmp(path + length - end, mark, end) == 0;
}

/* Appends the path of a descriptor; ENOENT if it has none (proc(5): "pipe:[1]", "(unreachable)/a"), ESTALE if it is deleted. */
static int append_path_of(int fd, struct answer *answer) {
  char path[PATH_MAX];
  if (vt_path_of(fd, path, sizeof path)) return EIO;
  if (path[0] != '/') return ENOENT;
  size_t length = strlen(path);
  return is_deleted(path, length) ? ESTALE : append(answer, path, length);
}

/* The length of a path without its last name; 0 for a name in the root; -1: there is no name left. */
static ssize_t cut(const char *path, size_t length) {
  while (length && path[length - 1] == '/') length--;
  if (!length) return -1;
  while (length && path[length - 1] != '/') length--;
  return length ? (ssize_t)length - 1 : -1;
}

/* Absolute, without ".", ".." and empty names: the real path, unless there are symlinks. */
static bool is_plain(const char *path) {
  for (const char *at = path; *at == '/';) {
    size_t length = strcspn(++at, "/");
    if (length == 0 || vt_path_is_dots(at, length)) return false;
    at += length;
  }
  return path[0] == '/';
}

/* Appends the real path of an existing file: the path itself if no name in it is a symlink. */
static int find(const char *path, struct answer *answer) {
  int fd = is_plain(path) ? vt_path_open_direct(AT_FDCWD, path, O_PATH | O_CLOEXEC) : -1;
  bool direct = fd >= 0;
  if (!direct) fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = direct ? append(answer, path, strlen(path)) : append_path_of(fd, answer);
  close(fd);
  return error;
}

/* Replaces the symlink that the first `length` bytes name by its target. EINVAL, ENOENT, ENOTDIR: there is no symlink. */
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

/* Cuts the length to the part that exists. Follows dangling symlinks, too: writing through one creates its target. */
static int find_beginning(char path[PATH_MAX], size_t *length, struct answer *answer) {
  char beginning[PATH_MAX];
  for (int links = 0;;) {
    memcpy(beginning, path, *length);
    beginning[*length] = 0;
    int error = find(*length ? beginning : "/", answer);
    if (error != ENOENT && error != ENOTDIR) return error;
    int followed = follow(path, *length, &links);
    if (followed == ELOOP || followed == ENAMETOOLONG) return followed;
    ssize_t shorter = followed ? cut(path, *length) : (ssize_t)strlen(path);
    if (shorter < 0) return error;
    *length = (size_t)shorter;
  }
}

static int look_where(const char *asked, struct answer *answer) {
  char path[PATH_MAX];
  size_t length = strlen(asked);
  if (length >= sizeof path) return ENAMETOOLONG;
  memcpy(path, asked, length + 1);
  int error = find_beginning(path, &length, answer);
  if (!error) error = append(answer, "", 1);
  return error ? error : append(answer, path + length, strlen(path + length));
}

static int add_names(const char *block, size_t length, struct answer *answer) {
  for (size_t at = 0; at < length;) {
    const struct entry *entry = (const struct entry *)(const void *)(block + at);
    at += entry->length;
    if (vt_is_dots(entry->name)) continue;
    int error = append(answer, entry->type == DT_LNK || entry->type == DT_UNKNOWN ? "l" : "-", 1);
    if (!error) error = append(answer, entry->name, strlen(entry->name) + 1);
    if (error) return error;
  }
  return 0;
}

static int look_into(const char *path, char *block, struct answer *answer) {
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

static int read_all(int fd, struct answer *answer) {
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

static int read_regular(int place, struct answer *answer) {
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

/* Checks the type before opening the file: opening a device can have effects, opening a FIFO wakes a waiting writer (fifo(7)). */
static int look_at_text(const char *path, struct answer *answer) {
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return errno;
  int error = read_regular(place, answer);
  close(place);
  return error;
}

static int look_at(const char *question, char *block, struct answer *answer) {
  const char *path = question + 1;
  switch ((enum vt_question)question[0]) {
    case VT_QUESTION_WHERE: return look_where(path, answer);
    case VT_QUESTION_NAMES: return look_into(path, block, answer);
    case VT_QUESTION_EXISTS: return look_whether(path);
    case VT_QUESTION_DIRECTORY: return look_for_directory(path);
    case VT_QUESTION_TEXT: return look_at_text(path, answer);
  }
  return EINVAL;
}

void vt_lookup_run(const char *questions, size_t length, struct vt_answers *answers) {
  size_t used = 0;
  for (const char *at = questions, *end = questions + length; at < end && used + HEAD <= VT_ANSWERS; at += strlen(at) + 1) {
    struct answer answer = {.at = answers->at + used + HEAD, .room = VT_ANSWERS - used - HEAD};
    uint32_t head[] = {(uint32_t)look_at(at, answers->names, &answer), 0};
    head[1] = head[0] ? 0 : (uint32_t)answer.length;
    memcpy(answers->at + used, head, HEAD);
    used += HEAD + head[1];
    __atomic_store_n(&answers->used, used, __ATOMIC_RELEASE);
  }
}
