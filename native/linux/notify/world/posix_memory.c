/* POSIX shared memory and semaphores (shm_overview(7), sem_overview(7)): libc opens, links and removes files of /dev/shm. The command's own
 * are in a directory of its TMPDIR: others' names do not exist there, and it is removed with the command. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "confine/confinement.h"
#include "notify/caller/own_sandbox.h"
#include "notify/dispatch.h"
#include "notify/world/own_world.h"
#include "notify/workspace_server.h"
#include "workspace/workspace.h"

static const char place[] = "/dev/shm/", own_place[] = ".dev-shm";

/* The name of a file of /dev/shm; NULL: the path leads elsewhere, or deeper. */
static const char *name_in(const char *path) {
  if (strncmp(path, place, sizeof place - 1)) return NULL;
  const char *name = path + sizeof place - 1;
  return *name && !strchr(name, '/') && !vt_is_dots(name) && strlen(name) <= NAME_MAX ? name : NULL;
}

/* The command may have put a link in its place. -1 with errno. */
static int open_place(const struct vt_notification *notification) {
  const char *private = notification->listener->confinement->writable[0];
  errno = ENOENT;
  int tmp = private ? open(private, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (tmp < 0) return -1;
  if (mkdirat(tmp, own_place, 0700) && errno != EEXIST) return close(tmp), -1;
  int fd = openat(tmp, own_place, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int error = errno;
  close(tmp);
  errno = error;
  return fd;
}

/* Regular files, and none that is another name of a protected one. */
static int check(const struct vt_notification *notification, int fd) {
  const struct vt_workspace *workspace = notification->listener->confinement->workspace;
  struct stat status;
  if (fstat(fd, &status)) return errno;
  return S_ISREG(status.st_mode) && !(workspace && vt_workspace_protects(workspace, &status)) ? 0 : EACCES;
}

/* Truncates only what it has looked at. */
static int open_file(const struct vt_notification *notification, int directory, const char *name, uint32_t flags, mode_t mode) {
  int wanted = (int)(flags & (O_ACCMODE | O_CREAT | O_EXCL)) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int fd = openat(directory, name, wanted, mode & 0777);
  if (fd < 0) return -1;
  int error = check(notification, fd);
  if (!error && (flags & O_TRUNC) && ftruncate(fd, 0)) error = errno;
  if (!error && !(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, 0)) error = errno;
  if (!error) return fd;
  close(fd);
  errno = error;
  return -1;
}

static int open_own(struct vt_notification *notification, int directory, const char *name, uint32_t flags, mode_t mode) {
  notification->send_fd = open_file(notification, directory, name, flags, mode);
  notification->send_flags = flags & O_CLOEXEC;
  return notification->send_fd < 0 ? errno : 0;
}

/* sem_open(3) makes a semaphore under another name and links it. */
static int move(struct vt_notification *notification, int directory, const char *name) {
  char path[PATH_MAX];
  int error = vt_caller_string(&notification->caller, vt_argument(notification, notification->call->second), path, sizeof path);
  const char *to = error ? NULL : name_in(path);
  if (error || !to) return error ? error : EXDEV;
  bool links = notification->call->judge == vt_handle_link;
  int failed = links ? linkat(directory, name, directory, to, 0) : renameat(directory, name, directory, to);
  return failed ? errno : 0;
}

static int act(struct vt_notification *notification, const char *name, uint32_t flags, mode_t mode) {
  int directory = open_place(notification), error;
  if (directory < 0) return errno;
  vt_judge judge = notification->call->judge;
  if (!vt_workspace_server_may_act(notification)) error = EINTR;
  else if (judge == vt_handle_open) error = open_own(notification, directory, name, flags, mode);
  else if (judge == vt_handle_remove) error = unlinkat(directory, name, 0) ? errno : 0;
  else error = move(notification, directory, name);
  close(directory);
  return error;
}

static bool own_memory(struct vt_notification *notification, uint32_t flags, mode_t mode) {
  const char *name = notification->sockets ? name_in(notification->given) : NULL;
  vt_judge judge = notification->call->judge;
  bool known = judge == vt_handle_open || judge == vt_handle_remove || judge == vt_handle_link || judge == vt_handle_rename;
  if (!name || !known) return false;
  notification->own_sandbox = vt_has_own_sandbox(notification);
  if (notification->own_sandbox) return false; /* Landlock refuses it, and so is it told */
  notification->error = act(notification, name, flags, mode);
  notification->done = notification->error == 0;
  return true;
}

static uint32_t flags_of(const struct vt_notification *notification) {
  enum vt_syscall call = notification->call->call;
  if (call == VT_SYS_creat) return O_CREAT | O_WRONLY | O_TRUNC;
  return (uint32_t)vt_argument(notification, call == VT_SYS_open ? 1 : 2);
}

static mode_t mode_of(const struct vt_notification *notification) {
  enum vt_syscall call = notification->call->call;
  return (mode_t)vt_argument(notification, call == VT_SYS_openat ? 3 : call == VT_SYS_open ? 2 : 1);
}

bool vt_own_world(struct vt_notification *notification) {
  bool opens = notification->call->judge == vt_handle_open;
  uint32_t flags = opens ? flags_of(notification) : 0;
  return own_memory(notification, flags, mode_of(notification)) || (opens && vt_own_terminal(notification, flags));
}

void vt_own_world_read(struct vt_notification *notification) {
  uint64_t path = vt_argument(notification, notification->call->argument);
  bool read = notification->sockets && vt_caller_string(&notification->caller, path, notification->given, sizeof notification->given) == 0;
  if (read) vt_own_world(notification);
}
