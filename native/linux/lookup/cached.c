/* Lookups that cannot block: the kernel answers from its cache of names, or not at all. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "base/paths.h"
#include "lookup/answer.h"

/* With RESOLVE_CACHED (linux/openat2.h, 5.12; EINVAL before) the kernel asks no file system. Entering a mount still could ask its
 * server about the root (d_weak_revalidate, fs/namei.c), so no mount is entered. */
enum { RESOLVE_CACHED = 0x20, NO_WAIT = RESOLVE_CACHED | RESOLVE_IN_MOUNT | RESOLVE_NO_MAGIC };

static int open_cached(const char *path, int flags, uint64_t resolve) {
  return vt_openat2(AT_FDCWD, path, O_PATH | O_CLOEXEC | flags, NO_WAIT | resolve);
}

static int look_whether(const char *path) {
  int fd = open_cached(path, O_NOFOLLOW, 0), error = fd < 0 ? errno : 0;
  if (fd >= 0) close(fd);
  return error == ENOENT || !error ? error : EAGAIN;
}

/* ENOENT or EAGAIN; a dangling symlink is not missing. */
static int missing(const char *path) { return look_whether(path) == ENOENT ? ENOENT : EAGAIN; }

/* Appends the real path of an existing file; ENOENT if the name is missing, else EAGAIN. */
static int find(const char *path, struct vt_answer *answer) {
  int fd = open_cached(path, 0, RESOLVE_NO_LINKS);
  bool linked = fd < 0 && errno == ELOOP;
  if (linked) fd = open_cached(path, 0, 0);
  if (fd < 0) return errno != ENOENT ? EAGAIN : linked ? missing(path) : ENOENT;
  bool direct = !linked && vt_path_is_plain(path);
  int error = direct ? vt_answer_append(answer, path, strlen(path)) : vt_answer_append_path_of(answer, fd);
  close(fd);
  return error ? EAGAIN : 0;
}

/* linux/magic.h: ext2 to ext4, XFS, Btrfs, F2FS, tmpfs, overlayfs */
static bool is_local_type(uint32_t type) {
  static const uint32_t types[] = {0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994, 0x794c7630};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i] == type) return true;
  return false;
}

/* On file systems of other machines the attributes that the kernel has may be old. One answer holds for all paths, because no mount
 * is entered. */
static bool is_local(void) {
  static int known; /* 0: not yet */
  int local = __atomic_load_n(&known, __ATOMIC_RELAXED);
  struct statfs root;
  if (local == 0) {
    local = statfs("/", &root) == 0 && is_local_type((uint32_t)root.f_type) ? 1 : -1;
    __atomic_store_n(&known, local, __ATOMIC_RELAXED);
  }
  return local > 0;
}

/* A later change sets another ctime, unless the clock of the file system (s_time_gran: up to a second) still reads the same, a write
 * is under way, or a process writes through a mapping that it has written to before. */
static bool is_settled(const struct statx *status) {
  struct timespec now;
  return clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0 && now.tv_sec > status->stx_ctime.tv_sec + 1;
}

static int look_for_state(const char *path, struct vt_answer *answer) {
  struct statx status;
  char state[96];
  int fd = open_cached(path, 0, 0);
  if (fd < 0) return errno == ENOENT ? ENOENT : EAGAIN;
  int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
  bool known = is_local() && syscall(SYS_statx, fd, "", flags, STATX_BASIC_STATS, &status) == 0 && is_settled(&status);
  close(fd);
  if (!known) return EAGAIN;
  int length = snprintf(state, sizeof state, "%x:%x:%llx:%llx:%llx.%x", status.stx_dev_major, status.stx_dev_minor, status.stx_ino,
                        status.stx_size, status.stx_ctime.tv_sec, status.stx_ctime.tv_nsec);
  return vt_answer_append(answer, state, (size_t)length) ? EAGAIN : 0;
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
  if (*path != '/') return EAGAIN; /* the current directory may be on another mount */
  switch ((enum vt_question)question[0]) {
    case VT_QUESTION_WHERE: return vt_lookup_where(path, find, NULL, answer) ? EAGAIN : 0;
    case VT_QUESTION_EXISTS: return look_whether(path);
    case VT_QUESTION_DIRECTORY: return look_for_directory(path);
    case VT_QUESTION_PROGRAM: return vt_lookup_program(path, find, answer);
    case VT_QUESTION_STATE: return look_for_state(path, answer);
    case VT_QUESTION_NAMES:
    case VT_QUESTION_TEXT: return EAGAIN;
  }
  return EINVAL;
}

size_t vt_core_look_cached(struct vt_text questions, char *answers, size_t room) {
  size_t used = 0;
  vt_answer_all(questions.at, questions.length + 1, look_at, NULL, answers, room, &used);
  return used;
}
