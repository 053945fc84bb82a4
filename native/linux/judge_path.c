/* Calls that Landlock decides on. Refused here is what would change something; what the kernel refuses for its own
 * reasons, or Landlock grants, goes on: whatever the caller's memory says by then, Landlock judges the call again. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "judge.h"
#include "place.h"
#include "policy.h"
#include "seccomp_constants.h"

/* asm-generic/fcntl.h: O_TMPFILE without O_DIRECTORY; linux/fs.h */
enum { TMPFILE = 020000000, NO_REPLACE = 1, UNREADABLE = -2 };

/* Named so often that a look is spared: whatever stands there, Landlock decides on it. */
static bool is_harmless_name(const char *path) {
  static const char *const names[] = {"/dev/null", "/dev/tty", "/dev/zero", "/dev/full"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(path, names[i]) == 0) return true;
  return false;
}

/* Reads the path that an argument points to. */
static int read_path(const struct vt_inquiry *inquiry, int argument, char path[PATH_MAX]) {
  int error = vt_caller_string(&inquiry->caller, inquiry->notification.data.args[argument], path, PATH_MAX);
  return error == EPERM ? UNREADABLE : error;
}

/* The descriptor that a path starts from. */
static int base_of(const struct vt_inquiry *inquiry, int directory) {
  return directory == VT_NO_ARGUMENT ? AT_FDCWD : (int)inquiry->notification.data.args[directory];
}

static void refuse(struct vt_inquiry *inquiry, enum vt_operation operation, const struct vt_place *place) {
  inquiry->operation = operation;
  inquiry->error = EACCES;
  inquiry->counted = true;
  if (!place) return;
  inquiry->has_text = inquiry->is_path = true;
  memcpy(inquiry->text, place->path, sizeof inquiry->text);
}

/*
 * A path that nobody may read. Yama lets orphans be read by nobody (ptrace_scope 1), and they must be able to write to
 * /dev/null or to make a directory that is there: such calls go on, unreported. A process that made itself unreadable
 * has no such claim.
 */
static void judge_unread(struct vt_inquiry *inquiry, bool often_harmless) {
  if (!often_harmless || !vt_caller_is_dumpable(&inquiry->caller)) refuse(inquiry, inquiry->operation, NULL);
}

static uint32_t open_flags(const struct vt_inquiry *inquiry) {
  const struct seccomp_data *data = &inquiry->notification.data;
  if (inquiry->call->call == VT_SYS_creat) return O_CREAT | O_WRONLY | O_TRUNC;
  return (uint32_t)data->args[inquiry->call->call == VT_SYS_open ? 1 : 2];
}

/* An empty path with O_EMPTYPATH (asm-generic/fcntl.h of Linux 7.3) is the file that the descriptor stands for: it takes that
 * one's path. Older kernels find nothing there. */
static int take_path_of_descriptor(struct vt_inquiry *inquiry) {
  char link[32] = "cwd";
  bool meant = inquiry->call->judge == vt_judge_open && (open_flags(inquiry) & VT_O_EMPTYPATH);
  if (!meant || !vt_place_can_be_empty()) return ENOENT;
  int base = base_of(inquiry, inquiry->call->directory);
  if (base != AT_FDCWD) snprintf(link, sizeof link, "fd/%d", base);
  if (vt_caller_link(&inquiry->caller, link, inquiry->given, sizeof inquiry->given) < 0) return errno;
  return inquiry->given[0] == '/' ? 0 : VT_NO_FILE;
}

/* The watchdog may have the path as given from then on: it is not written to again. */
static int find(struct vt_inquiry *inquiry, bool follow, struct vt_place *place) {
  const struct vt_call *call = inquiry->call;
  int error = read_path(inquiry, call->argument, inquiry->given);
  if (!error && !inquiry->given[0]) error = take_path_of_descriptor(inquiry);
  if (error) return error;
  __atomic_store_n(&inquiry->given_known, true, __ATOMIC_RELEASE);
  if (call->operation == VT_OP_WRITE && is_harmless_name(inquiry->given)) return VT_NO_FILE;
  return vt_place_find(&inquiry->caller, base_of(inquiry, call->directory), inquiry->given, follow, place);
}

/* Finds the call's own path. False: there is nothing to refuse, or it is refused already. */
static bool find_own(struct vt_inquiry *inquiry, bool follow, bool often_harmless, struct vt_place *place) {
  place->parent = -1;
  int error = find(inquiry, follow, place);
  if (error == UNREADABLE) judge_unread(inquiry, often_harmless);
  return error == 0;
}

/* What we could not do either is refused for other reasons than ours. */
static bool may_change(const struct vt_place *place) { return faccessat(place->parent, ".", W_OK | X_OK, 0) == 0; }

static bool may_write(const struct vt_place *place) {
  return faccessat(place->parent, place->name[0] ? place->name : ".", W_OK, 0) == 0;
}

/* What follows the granted directory in the path: "" for the directory itself; NULL where none is granted. */
static const char *granted_part(const struct vt_inquiry *inquiry, const struct vt_place *place) {
  for (char **directory = inquiry->docket->policy->writable; *directory; directory++) {
    size_t length = strlen(*directory);
    const char *rest = place->path + length;
    if (strncmp(place->path, *directory, length) == 0 && (*rest == '/' || *rest == 0)) return rest;
  }
  return NULL;
}

static bool is_granted(const struct vt_inquiry *inquiry, const struct vt_place *place) {
  return granted_part(inquiry, place) != NULL;
}

/* The name itself may come and go; a granted directory's own name stands in one that is not granted. */
static bool is_granted_name(const struct vt_inquiry *inquiry, const struct vt_place *place) {
  const char *rest = granted_part(inquiry, place);
  return rest && *rest;
}

/* The nodes that Landlock grants (landlock.c): null, zero, full, tty (Documentation/admin-guide/devices.txt). */
static bool is_harmless_node(const struct stat *status) {
  dev_t node = status->st_rdev;
  return S_ISCHR(status->st_mode) && (node == makedev(1, 3) || node == makedev(1, 5) || node == makedev(1, 7) ||
                                      node == makedev(5, 0));
}

/* The name of a thread of its own: pthread_setname_np(3) writes it there for every thread but the calling one. */
static bool is_name_of_own_thread(const struct vt_inquiry *inquiry, const char *path) {
  int process, thread, end = 0;
  sscanf(path, "/proc/%d/task/%d/comm%n", &process, &thread, &end);
  return end > 0 && path[end] == 0 && process == vt_caller_process(&inquiry->caller);
}

/* What its own core dump would hold (core(5)). */
static bool is_own_dump_filter(const struct vt_inquiry *inquiry, const char *path) {
  int process, end = 0;
  sscanf(path, "/proc/%d/coredump_filter%n", &process, &end);
  return end > 0 && path[end] == 0 && process == vt_caller_process(&inquiry->caller);
}

/* Programs try it whenever they start, and go on without a word: a report would be one of each java. Landlock refuses it.
 * The statistics are perfMemory_posix.cpp's of OpenJDK, which asks no TMPDIR. */
static bool is_dispensable(const struct vt_inquiry *inquiry, const struct vt_place *place) {
  static const char statistics[] = "/tmp/hsperfdata_";
  return strncmp(place->path, statistics, sizeof statistics - 1) == 0 || is_name_of_own_thread(inquiry, place->path) ||
         is_own_dump_filter(inquiry, place->path);
}

static void judge_existing(struct vt_inquiry *inquiry, uint32_t flags, const struct vt_place *place) {
  mode_t mode = place->status.st_mode;
  if ((flags & O_CREAT) && (flags & O_EXCL)) return;              /* EEXIST */
  if (S_ISLNK(mode) || S_ISDIR(mode) || S_ISSOCK(mode)) return;   /* ELOOP, EISDIR, ENXIO */
  if ((flags & VT_O_ACCMODE) == O_RDONLY || is_harmless_node(&place->status) || !may_write(place)) return;
  if (S_ISCHR(mode) && place->status.st_rdev == inquiry->docket->policy->terminal) return;
  refuse(inquiry, S_ISCHR(mode) || S_ISBLK(mode) ? VT_OP_DEVICE : VT_OP_WRITE, place);
}

void vt_judge_open(struct vt_inquiry *inquiry) {
  struct vt_place place;
  uint32_t flags = open_flags(inquiry);
  bool exclusive = (flags & O_CREAT) && (flags & O_EXCL), unnamed = (flags & TMPFILE) != 0;
  if (flags & O_PATH) return; /* its access mode means nothing (open(2)) */
  if (!find_own(inquiry, !(flags & O_NOFOLLOW) && !exclusive, !exclusive && !unnamed, &place)) return;
  if (is_granted(inquiry, &place) || is_dispensable(inquiry, &place)) return vt_place_close(&place);
  if (unnamed && place.exists && S_ISDIR(place.status.st_mode) && may_write(&place))
    refuse(inquiry, VT_OP_CREATE, &place);
  else if (!unnamed && place.exists) judge_existing(inquiry, flags, &place);
  else if (!unnamed && (flags & O_CREAT) && may_change(&place)) refuse(inquiry, VT_OP_CREATE, &place);
  vt_place_close(&place);
}

void vt_judge_truncate(struct vt_inquiry *inquiry) {
  struct vt_place place;
  if (!find_own(inquiry, true, false, &place)) return;
  if (place.exists && S_ISREG(place.status.st_mode) && !is_granted(inquiry, &place) && may_write(&place))
    refuse(inquiry, VT_OP_TRUNCATE, &place);
  vt_place_close(&place);
}

static bool removes_directory(const struct vt_inquiry *inquiry) {
  if (inquiry->call->call == VT_SYS_unlinkat) return (inquiry->notification.data.args[2] & AT_REMOVEDIR) != 0;
  return inquiry->call->call == VT_SYS_rmdir;
}

void vt_judge_remove(struct vt_inquiry *inquiry) {
  struct vt_place place;
  if (!find_own(inquiry, false, false, &place)) return;
  bool fits = place.exists && place.name[0] && S_ISDIR(place.status.st_mode) == removes_directory(inquiry);
  bool meant = fits && !is_granted_name(inquiry, &place) && !is_dispensable(inquiry, &place);
  if (meant && may_change(&place)) refuse(inquiry, VT_OP_DELETE, &place);
  vt_place_close(&place);
}

/* Landlock grants device nodes nowhere (landlock.c). */
static bool makes_device(const struct vt_inquiry *inquiry) {
  enum vt_syscall call = inquiry->call->call;
  if (call != VT_SYS_mknod && call != VT_SYS_mknodat) return false;
  mode_t mode = (mode_t)inquiry->notification.data.args[call == VT_SYS_mknod ? 1 : 2];
  return S_ISCHR(mode) || S_ISBLK(mode);
}

void vt_judge_make(struct vt_inquiry *inquiry) {
  struct vt_place place;
  bool directory = inquiry->call->call == VT_SYS_mkdir || inquiry->call->call == VT_SYS_mkdirat;
  if (!find_own(inquiry, false, directory, &place)) return;
  bool granted = is_granted_name(inquiry, &place) && !makes_device(inquiry);
  if (!place.exists && !granted && !is_dispensable(inquiry, &place) && may_change(&place))
    refuse(inquiry, inquiry->call->operation, &place);
  vt_place_close(&place);
}

/* Finds where a call with two paths leads. False as find_own(). */
static bool find_both(struct vt_inquiry *inquiry, struct vt_place *old, struct vt_place *new) {
  const struct vt_call *call = inquiry->call;
  char second[PATH_MAX];
  new->parent = -1;
  if (!find_own(inquiry, false, false, old)) return false;
  int error = read_path(inquiry, call->second, second);
  if (!error) error = vt_place_find(&inquiry->caller, base_of(inquiry, call->second_directory), second, false, new);
  if (error) vt_place_close(old);
  return error == 0;
}

void vt_judge_link(struct vt_inquiry *inquiry) {
  struct vt_place old, new;
  if (!find_both(inquiry, &old, &new)) return;
  if (old.exists && !S_ISDIR(old.status.st_mode) && !new.exists && !is_granted_name(inquiry, &new) && may_change(&new))
    refuse(inquiry, VT_OP_LINK, &new);
  vt_place_close(&old);
  vt_place_close(&new);
}

void vt_judge_rename(struct vt_inquiry *inquiry) {
  struct vt_place old, new;
  if (!find_both(inquiry, &old, &new)) return;
  bool keeps = inquiry->call->call == VT_SYS_renameat2 && (inquiry->notification.data.args[4] & NO_REPLACE);
  bool possible = old.exists && old.name[0] && new.name[0] && !(keeps && new.exists);
  bool granted = is_granted_name(inquiry, &old) && is_granted_name(inquiry, &new);
  if (possible && !granted && may_change(&old) && may_change(&new)) refuse(inquiry, VT_OP_RENAME, &old);
  vt_place_close(&old);
  vt_place_close(&new);
}
