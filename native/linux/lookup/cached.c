/* Lookups that cannot block: the kernel answers from its cache of names, or not at all. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "base/paths.h"
#include "lookup/answer.h"

/*
 * With RESOLVE_CACHED (linux/openat2.h, 5.12; EINVAL before) the kernel follows a path only as long as no file system has to be
 * asked. Entering a mount could still ask its server about the root (d_weak_revalidate, fs/namei.c), so no mount is entered.
 */
enum { RESOLVE_CACHED = 0x20, NO_WAIT = RESOLVE_CACHED | RESOLVE_IN_MOUNT | RESOLVE_NO_MAGIC };

static int open_cached(const char *path, int flags, uint64_t resolve) {
  return vt_openat2(AT_FDCWD, path, O_PATH | O_CLOEXEC | flags, NO_WAIT | resolve);
}

/* Whether a name is missing; a dangling symlink is not. ENOENT, or EAGAIN. */
static int is_missing(const char *path) {
  int fd = open_cached(path, O_NOFOLLOW, 0);
  if (fd < 0) return errno == ENOENT ? ENOENT : EAGAIN;
  close(fd);
  return EAGAIN;
}

/* Appends the real path of an existing file. ENOENT, if the last name or one before it is missing; else EAGAIN. */
static int find(const char *path, struct vt_answer *answer) {
  int fd = open_cached(path, 0, RESOLVE_NO_LINKS);
  bool direct = fd >= 0;
  if (!direct && errno == ELOOP) fd = open_cached(path, 0, 0);
  if (fd < 0) return errno == ENOENT ? is_missing(path) : EAGAIN;
  int error = direct ? vt_answer_append(answer, path, strlen(path)) : vt_answer_append_path_of(answer, fd);
  close(fd);
  return error ? EAGAIN : 0;
}

static int find_beginning(const char *path, size_t *length, struct vt_answer *answer) {
  char beginning[PATH_MAX];
  for (;;) {
    memcpy(beginning, path, *length);
    beginning[*length] = 0;
    int error = find(*length ? beginning : "/", answer);
    if (error != ENOENT) return error;
    ssize_t shorter = vt_lookup_cut(path, *length);
    if (shorter < 0) return EAGAIN;
    *length = (size_t)shorter;
  }
}

static int look_where(const char *path, struct vt_answer *answer) {
  size_t length = strlen(path);
  if (length >= PATH_MAX || !vt_lookup_is_plain(path)) return EAGAIN;
  int error = find_beginning(path, &length, answer);
  if (!error) error = vt_answer_append(answer, "", 1);
  if (!error) error = vt_answer_append(answer, path + length, strlen(path + length));
  return error ? EAGAIN : 0;
}

static int look_whether(const char *path) {
  int fd = open_cached(path, O_NOFOLLOW, 0), error = fd < 0 ? errno : 0;
  if (fd >= 0) close(fd);
  return error == ENOENT || !error ? error : EAGAIN;
}

/* Content could still have to be read from a disk. */
static int look_for_none(const char *path) {
  int fd = open_cached(path, 0, 0);
  if (fd < 0) return errno == ENOENT ? ENOENT : EAGAIN;
  close(fd);
  return EAGAIN;
}

static int look_for_directory(const char *path) {
  struct stat status;
  int fd = open_cached(path, 0, 0);
  if (fd < 0) return errno == ENOENT ? ENOENT : EAGAIN;
  int error = fstat(fd, &status) ? EAGAIN : 0;
  if (!error && !S_ISDIR(status.st_mode)) error = ENOTDIR;
  if (!error && faccessat(fd, ".", X_OK, 0)) error = errno == EACCES ? EACCES : EAGAIN;
  close(fd);
  return error;
}

static int look_at(const char *question, void *context, struct vt_answer *answer) {
  const char *path = question + 1;
  (void)context;
  switch ((enum vt_question)question[0]) {
    case VT_QUESTION_WHERE: return look_where(path, answer);
    case VT_QUESTION_EXISTS: return look_whether(path);
    case VT_QUESTION_DIRECTORY: return look_for_directory(path);
    case VT_QUESTION_NAMES:
    case VT_QUESTION_TEXT: return look_for_none(path);
  }
  return EINVAL;
}

size_t vt_core_look_cached(struct vt_text questions, char *answers, size_t room) {
  size_t used = 0;
  vt_answer_all(questions.at, questions.length + 1, look_at, NULL, answers, room, &used);
  return used;
}
