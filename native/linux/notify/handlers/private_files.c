/* Calls on files that are proven to be in the command's private directories or its workspace, carried out for the caller. Landlock does
 * not cover metadata, and a continued call could have its path or descriptor replaced after the check. So each acts on our own
 * descriptor. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "base/files.h"
#include "base/kernel.h"
#include "confine/places/places.h"
#include "confine/filter/seccomp_constants.h"
#include "notify/dispatch.h"
#include "notify/handlers/workspace_ops.h"

/* NOT_OURS: the refusal stands, and is reported. */
enum { NOT_OURS = -1, NOT_FOUND = -2 };

/* An O_PATH descriptor of the file, and its status. */
struct vt_private_file {
  int fd;
  struct stat status;
};

/* The path alone proves nothing: that of a file on a detached mount can begin with anything. */
static bool is_in(const char *directory, const char *path, uint64_t mount) {
  struct vt_identity own;
  if (!vt_path_beneath(path, directory)) return false;
  int fd = open(directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  bool same = vt_identify(fd, "", AT_EMPTY_PATH, &own) == 0 && own.mount == mount;
  close(fd);
  return same;
}

/* The kernel names a file by the directory entry it was opened by. No foreign file gets one in a private directory: Landlock
 * refuses links and renames across its border. */
bool vt_is_private(const struct vt_listener *listener, int fd) {
  char path[PATH_MAX];
  struct vt_identity own;
  if (vt_path_of(fd, path, sizeof path) || vt_identify(fd, "", AT_EMPTY_PATH, &own)) return false;
  for (char **directory = listener->confinement->writable; *directory; directory++)
    if (is_in(*directory, path, own.mount)) return true;
  return vt_workspace_holds(listener, fd, path);
}

/* A number below 0 is none, AT_FDCWD neither. */
static int open_descriptor(const struct vt_notification *notification, int number) {
  return number < 0 ? -1 : vt_caller_open(&notification->caller, number, O_PATH);
}

/* A directory descriptor and no path: the descriptor's own file (utimensat(2), AT_EMPTY_PATH). */
static int open_directory_itself(const struct vt_notification *notification) {
  const struct vt_call *call = notification->call;
  bool may_be_empty = call->flags && (vt_argument(notification, call->flags) & AT_EMPTY_PATH);
  bool has_no_path = vt_argument(notification, call->argument) == 0;
  if (call->directory == VT_NO_ARGUMENT || !(may_be_empty || has_no_path)) return -1;
  return open_descriptor(notification, (int)vt_argument(notification, call->directory));
}

/* `known`: found in a directory of the workspace, on its mount. */
static int open_place(const struct vt_notification *notification, const struct vt_resolved *place, bool *known) {
  const char *name = place->name[0] ? place->name : ".";
  int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  *known = place->known != NULL;
  int fd = *known ? vt_openat2(place->parent, name, flags, RESOLVE_IN_MOUNT) : openat(place->parent, name, flags);
  bool missing = fd < 0 && errno == ENOENT;
  return missing && (*known || vt_is_private(notification->listener, place->parent)) ? NOT_FOUND : fd;
}

/* Opens the file of the call's path. NOT_FOUND: missing, in a private directory. */
static int open_at_path(struct vt_notification *notification, bool *known) {
  const struct vt_call *call = notification->call;
  struct vt_resolved place;
  if (!vt_read_given(notification)) return -1;
  if (!notification->given[0]) return open_directory_itself(notification);
  size_t length = strlen(notification->given);
  bool follow = vt_call_follows(call, &notification->notif.data) || notification->given[length - 1] == '/';
  if (vt_place_find(notification, vt_directory(notification, call->directory), notification->given, follow, &place)) return -1;
  int fd = open_place(notification, &place, known);
  vt_resolved_close(&place);
  return fd;
}

static int open_subject(struct vt_notification *notification, bool *known) {
  const struct vt_call *call = notification->call;
  if (call->subject != VT_DESCRIPTOR) return open_at_path(notification, known);
  return open_descriptor(notification, (int)vt_argument(notification, call->argument));
}

/* Unknown flags are for the kernel to refuse. */
static bool may_have_action(const struct vt_notification *notification) {
  const struct vt_confinement *confinement = notification->listener->confinement;
  int flags = notification->call->flags;
  if (!notification->call->act || (!confinement->writable[0] && !confinement->workspace)) return false;
  return !flags || (vt_argument(notification, flags) & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) == 0;
}

/* The argument at `index` after the path or descriptor. */
static uint64_t argument(const struct vt_notification *notification, int index) {
  return notification->notif.data.args[notification->call->argument + 1 + index];
}

/* Who makes a git directory may change the mode of its configuration, but not shut it to its user. */
static bool may_change_mode(const struct vt_notification *notification, int fd) {
  bool open = (argument(notification, 0) & S_IRUSR) != 0;
  return notification->call->act == vt_private_op_chmod && open && vt_is_new_config(notification->listener, fd);
}

/* The caller must still wait, so that the file is its own. Later renames change nothing. */
static int act_on(struct vt_notification *notification, int fd, bool known) {
  struct vt_private_file file = {.fd = fd};
  if (fstat(fd, &file.status)) return NOT_OURS;
  bool proven = known && !vt_workspace_protects(vt_workspace_of(notification), &file.status);
  if (!proven && !vt_is_private(notification->listener, fd) && !may_change_mode(notification, fd)) return NOT_OURS;
  return vt_caller_still_waits(notification) ? notification->call->act(notification, &file) : NOT_OURS;
}

bool vt_private_gate(struct vt_notification *notification) {
  if (!may_have_action(notification)) return false;
  notification->own_sandbox = vt_lacks_capability(notification);
  if (notification->own_sandbox) return false;
  bool known = false;
  int fd = open_subject(notification, &known);
  if (fd == -1) return false;
  int error = fd == NOT_FOUND ? ENOENT : act_on(notification, fd, known);
  if (fd >= 0) close(fd);
  if (error == NOT_OURS) return false;
  vt_answer(notification, error);
  return true;
}

/* linux/limits.h */
enum { ATTRIBUTE_NAME_BYTES = 256, ATTRIBUTE_BYTES = 65536 };

/* A host that runs as root could change other users' files: acts only on files of our own user. */
static bool is_own(const struct vt_private_file *file) { return file->status.st_uid == geteuid(); }

static void path_of(const struct vt_private_file *file, char path[40]) { snprintf(path, 40, "/proc/thread-self/fd/%d", file->fd); }

static int errno_of(int failed) { return failed ? errno : 0; }

/* The command may have made it. */
static bool leads_to_protected(const struct vt_workspace *workspace, const struct vt_private_file *file) {
  char path[PATH_MAX];
  if (vt_workspace_protects(workspace, &file->status)) return true;
  return vt_path_of(file->fd, path, sizeof path) == 0 && vt_path_node_at(workspace->places->root, path);
}

/* Of a directory that leads to something protected: vitrine looks there, before the next command, for more to protect. */
static bool is_shut(const struct vt_notification *notification, const struct vt_private_file *file, mode_t mode) {
  const struct vt_workspace *workspace = vt_workspace_of(notification);
  bool open = (mode & S_IRUSR) && (mode & S_IXUSR);
  return !open && workspace && S_ISDIR(file->status.st_mode) && leads_to_protected(workspace, file);
}

/* Refuses set-user-ID and set-group-ID, which reach beyond the command; on a directory the latter only names new files' group. */
int vt_private_op_chmod(struct vt_notification *notification, const struct vt_private_file *file) {
  char path[40];
  mode_t mode = (mode_t)argument(notification, 0) & 07777;
  mode_t harmless = S_ISDIR(file->status.st_mode) ? S_ISGID : 0;
  if (S_ISLNK(file->status.st_mode)) return EOPNOTSUPP;
  if (!is_own(file)) return EPERM;
  if ((mode & (S_ISUID | S_ISGID) & ~harmless) || is_shut(notification, file, mode)) return NOT_OURS;
  if (mode & 0111) vt_notice_executable(notification, file->fd);
  if (syscall(NR_FCHMODAT2, file->fd, "", mode, AT_EMPTY_PATH) == 0) return 0; /* Linux 6.6; by /proc it takes three times as long */
  path_of(file, path);
  return errno_of(chmod(path, mode));
}

/* Allows no change of owner, and of group only to ours: a host that runs as root could give any. */
int vt_private_op_chown(struct vt_notification *notification, const struct vt_private_file *file) {
  uid_t user = (uid_t)argument(notification, 0);
  gid_t group = (gid_t)argument(notification, 1);
  bool same_user = user == (uid_t)-1 || user == file->status.st_uid;
  bool same_group = group == (gid_t)-1 || group == file->status.st_gid || group == getegid();
  if (!is_own(file)) return EPERM;
  if (!same_user || !same_group) return NOT_OURS;
  return errno_of(fchownat(file->fd, "", user, group, AT_EMPTY_PATH));
}

static bool read_exactly(const struct vt_notification *notification, uint64_t address, void *to, size_t size) {
  return vt_caller_read(&notification->caller, address, to, size) == (ssize_t)size;
}

/* Reads the times of utime(2), utimes(2) and futimesat(2) in the form of utimensat(2). */
static int read_times(const struct vt_notification *notification, uint64_t address, struct timespec times[2]) {
  struct utimbuf seconds;
  struct timeval micros[2];
  if (notification->call->call == VT_SYS_utimensat)
    return read_exactly(notification, address, times, 2 * sizeof *times) ? 0 : EFAULT;
  if (notification->call->call == VT_SYS_utime) {
    if (!read_exactly(notification, address, &seconds, sizeof seconds)) return EFAULT;
    times[0] = (struct timespec){.tv_sec = seconds.actime};
    times[1] = (struct timespec){.tv_sec = seconds.modtime};
    return 0;
  }
  if (!read_exactly(notification, address, micros, sizeof micros)) return EFAULT;
  for (int at = 0; at < 2; at++) {
    if (micros[at].tv_usec < 0 || micros[at].tv_usec > 999999) return EINVAL;
    times[at] = (struct timespec){micros[at].tv_sec, micros[at].tv_usec * 1000};
  }
  return 0;
}

int vt_private_op_times(struct vt_notification *notification, const struct vt_private_file *file) {
  struct timespec times[2];
  uint64_t address = argument(notification, 0);
  int error = address ? read_times(notification, address, times) : 0;
  if (error) return error;
  if (!is_own(file)) return EPERM;
  return errno_of(utimensat(file->fd, "", address ? times : NULL, AT_EMPTY_PATH)); /* Linux 5.8 */
}

/* Only "user." attributes. ACLs ("system.") are answered as on a file system without them, so that cp goes on. */
static int read_name(const struct vt_notification *notification, const struct vt_private_file *file, char *name) {
  int error = vt_caller_string(&notification->caller, argument(notification, 0), name, ATTRIBUTE_NAME_BYTES);
  if (error) return error == ENAMETOOLONG ? ERANGE : error;
  if (strncmp(name, "system.", 7) == 0) return EOPNOTSUPP;
  if (strncmp(name, "user.", 5) != 0) return NOT_OURS;
  /* a host that runs as root could write where the command may not */
  return is_own(file) && (file->status.st_mode & S_IWUSR) ? 0 : EACCES;
}

int vt_private_op_set_attribute(struct vt_notification *notification, const struct vt_private_file *file) {
  char path[40], name[ATTRIBUTE_NAME_BYTES];
  size_t size = argument(notification, 2);
  int error = read_name(notification, file, name);
  if (error) return error;
  if (size > ATTRIBUTE_BYTES) return E2BIG;
  void *value = malloc(size + 1);
  if (!value) return ENOMEM;
  path_of(file, path);
  error = size > 0 && !read_exactly(notification, argument(notification, 1), value, size)
              ? EFAULT
              : errno_of(setxattr(path, name, value, size, (int)argument(notification, 3)));
  free(value);
  return error;
}

int vt_private_op_remove_attribute(struct vt_notification *notification, const struct vt_private_file *file) {
  char path[40], name[ATTRIBUTE_NAME_BYTES];
  int error = read_name(notification, file, name);
  if (error) return error;
  path_of(file, path);
  return errno_of(removexattr(path, name));
}

/* A lock belongs to the open file description (flock(2)), so it outlives our borrowed descriptor. Never blocks: calls that
 * must wait go to waiting.c. */
int vt_private_op_lock(struct vt_notification *notification, const struct vt_private_file *file) {
  (void)file; /* the descriptor may have been replaced: the borrowed one is checked itself */
  int operation = (int)argument(notification, 0);
  int fd = notification->apart ? vt_borrow_proven(notification, (int)vt_argument(notification, 0)) : -1;
  if (fd < 0) return NOT_OURS;
  int error = vt_is_private(notification->listener, fd) ? errno_of(flock(fd, operation | LOCK_NB)) : NOT_OURS;
  bool waits = error == EWOULDBLOCK && !(operation & LOCK_NB);
  if (waits) vt_wait_for_lock(notification, fd, operation);
  else close(fd);
  return waits ? EINTR : error; /* EINTR is for when it cannot wait */
}

/* cp tries to clone data and falls back to copying: EOPNOTSUPP, not reported. */
int vt_private_op_clone_data(struct vt_notification *notification, const struct vt_private_file *file) {
  (void)file;
  uint32_t request = (uint32_t)argument(notification, 0);
  return request == FICLONE || request == FICLONERANGE ? EOPNOTSUPP : NOT_OURS;
}
