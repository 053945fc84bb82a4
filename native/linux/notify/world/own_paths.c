/* Paths that lead to what is a command's own: files of /dev/shm, terminals, and the devices that every command may write to. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/files.h"
#include "base/procfs.h"
#include "base/watched.h"
#include "confine/filter/seccomp_constants.h"
#include "confine/ruleset.h"
#include "notify/caller/caller.h"
#include "notify/dispatch.h"
#include "notify/handlers/workspace_ops.h"

/* POSIX shared memory and semaphores (shm_overview(7), sem_overview(7)): libc opens, links and removes files of /dev/shm. The command's own
 * are in a directory of its TMPDIR: others' names do not exist there, and it is removed with the command. */

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
  vt_close(tmp);
  return fd;
}

/* Regular files, and none that is another name of a protected one. */
static int check(const struct vt_notification *notification, int fd) {
  const struct vt_workspace *workspace = vt_workspace_of(notification);
  struct stat status;
  if (fstat(fd, &status)) return errno;
  return S_ISREG(status.st_mode) && !(workspace && vt_workspace_protects(workspace, &status)) ? 0 : EACCES;
}

static void open_file(struct vt_notification *notification, int directory, const char *name, uint32_t flags, mode_t mode) {
  int wanted = (int)(flags & (O_ACCMODE | O_CREAT | O_EXCL)) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int fd = openat(directory, name, wanted, mode & 0777);
  if (fd >= 0) fd = vt_workspace_settle(fd, check(notification, fd), flags & (O_TRUNC | O_NONBLOCK));
  vt_answer_with_descriptor(notification, fd, flags);
}

/* sem_open(3) makes a semaphore under another name and links it. */
static int move(struct vt_notification *notification, int directory, const char *name) {
  char path[PATH_MAX];
  int error = vt_caller_string(&notification->caller, vt_argument(notification, notification->call->second), path, sizeof path);
  const char *to = error ? NULL : name_in(path);
  if (error || !to) return error ? error : EXDEV;
  bool links = notification->call->operation == VT_OP_LINK;
  int failed = links ? linkat(directory, name, directory, to, 0) : renameat(directory, name, directory, to);
  return failed ? errno : 0;
}

static void act(struct vt_notification *notification, const char *name, uint32_t flags, mode_t mode) {
  int directory = open_place(notification);
  if (directory < 0) return vt_answer(notification, errno);
  if (!vt_may_act(notification)) vt_answer(notification, EINTR);
  else if (vt_opens(notification)) open_file(notification, directory, name, flags, mode);
  else if (notification->call->operation == VT_OP_DELETE) vt_answer(notification, unlinkat(directory, name, 0) ? errno : 0);
  else vt_answer(notification, move(notification, directory, name));
  close(directory);
}

static bool own_memory(struct vt_notification *notification, uint32_t flags, mode_t mode) {
  const char *name = notification->sockets ? name_in(notification->given) : NULL;
  bool known = vt_opens(notification) || notification->call->operation == VT_OP_DELETE || notification->call->subject == VT_TWO_PATHS;
  if (!name || !known) return false;
  if (vt_is_for_own_sandbox(notification)) return false; /* Landlock refuses it, and so is it told */
  act(notification, name, flags, mode);
  return true;
}

/* Terminals that a command makes (pty(7)): a master of its own, and slaves of masters that the caller has a descriptor of. The kernel
 * opens the slave of a master, so that no number of another's terminal counts. */

static bool is_own(const struct vt_notification *notification, pid_t process) {
  return mark_tells(notification->listener->mark, notification->listener->session, process);
}

/* Asked afterwards, so that the descriptor is not of another process that has the same number by now. */
static int borrow_from(struct vt_notification *notification, struct vt_caller *process, int number) {
  int fd = vt_borrow_descriptor(process, number);
  if (fd < 0 || (vt_caller_still_waits(notification) && is_own(notification, process->process))) return fd;
  close(fd);
  errno = EBADF;
  return -1;
}

/* ioctl_tty(2): fails unless the descriptor is a master. The kernel sets no controlling terminal without a session's leader calling. */
static int open_peer(int master, uint32_t flags) {
  int fd = ioctl(master, VT_TIOCGPTPEER, (int)(flags & (O_ACCMODE | O_NONBLOCK)) | O_NOCTTY | O_CLOEXEC);
  vt_close(master);
  return fd;
}

void vt_handle_terminal_peer(struct vt_notification *notification) {
  uint32_t flags = (uint32_t)vt_argument(notification, 2);
  notification->error = EACCES;
  if (!notification->sockets || vt_has_own_sandbox(notification)) return;
  int master = borrow_from(notification, &notification->caller, (int)vt_argument(notification, 0));
  vt_answer_with_descriptor(notification, master < 0 ? -1 : open_peer(master, flags), flags);
}

static bool is_master_of(int fd, int number) {
  int own = -1;
  return ioctl(fd, TIOCGPTN, &own) == 0 && own == number;
}

/* By the master, or by a descriptor of the slave itself, opened anew. -1: it is neither. */
static int open_by(int fd, const char *link, const char *slave, int number, uint32_t flags) {
  char path[40];
  if (strcmp(link, slave)) return is_master_of(fd, number) ? open_peer(fd, flags) : (close(fd), -1);
  snprintf(path, sizeof path, "/proc/thread-self/fd/%d", fd);
  int again = open(path, (int)(flags & (O_ACCMODE | O_NONBLOCK)) | O_NOCTTY | O_CLOEXEC);
  close(fd);
  return again;
}

static int open_slave_of(struct vt_notification *notification, struct vt_caller *process, int number, uint32_t flags) {
  enum { MOST = 256 };
  char link[32], slave[32];
  snprintf(slave, sizeof slave, "/dev/pts/%d", number);
  for (int at = 0; at < MOST; at++) {
    ssize_t length = vt_caller_path(process, at, link, sizeof link);
    if (length < 0 || (!strstr(link, "ptmx") && strcmp(link, slave))) continue;
    int fd = borrow_from(notification, process, at), opened = fd < 0 ? -1 : open_by(fd, link, slave, number, flags);
    if (opened >= 0) return opened;
  }
  return -1;
}

/* 0: it is not of the command. */
static pid_t parent_of(const struct vt_notification *notification, pid_t process) {
  char text[2048];
  if (!vt_procfs_read(process, "status", text, sizeof text)) return 0;
  pid_t parent = (pid_t)vt_number_after(text, "\nPPid:");
  return parent > 1 && is_own(notification, parent) ? parent : 0;
}

/* Programs open the slave in a child that may have closed the master. -1: neither the caller nor those that started it have a descriptor
 * of the terminal. */
static int open_slave(struct vt_notification *notification, int number, uint32_t flags) {
  enum { MOST_ANCESTORS = 8 };
  pid_t process = vt_caller_process(&notification->caller);
  for (int generation = 0; process && generation < MOST_ANCESTORS; generation++) {
    struct vt_caller holder = {.thread = process, .process = process};
    int slave = open_slave_of(notification, &holder, number, flags);
    if (slave >= 0) return slave;
    process = parent_of(notification, process);
  }
  return -1;
}

static bool opens_slave(struct vt_notification *notification, uint32_t flags) {
  static const char place[] = "/dev/pts/";
  char *end;
  if (strncmp(notification->given, place, sizeof place - 1)) return false;
  const char *digits = notification->given + sizeof place - 1;
  long number = strtol(digits, &end, 10);
  if (end == digits || *end || *digits < '0' || *digits > '9') return false;
  int slave = open_slave(notification, (int)number, flags);
  if (slave >= 0) vt_answer_with_descriptor(notification, slave, flags);
  return slave >= 0;
}

/* -1: it has none. */
static int number_of_controlling(pid_t process) {
  enum { SLAVES = 136 }; /* UNIX98_PTY_SLAVE_MAJOR, linux/major.h */
  char stat[512];        /* the seventh field; the name, the second, has at most 64 bytes (proc_pid_stat(5)) */
  unsigned device;
  vt_procfs_read(process, "stat", stat, sizeof stat);
  const char *fields = strrchr(stat, ')');
  if (!fields || sscanf(fields, ") %*s %*s %*s %*s %u", &device) != 1 || major(device) != SLAVES) return -1;
  return (int)minor(device);
}

/* Landlock grants no writing to it, because a terminal outside of /dev may have become the caller's. */
static void open_controlling_terminal(struct vt_notification *notification, uint32_t flags) {
  if (!notification->sockets || vt_has_own_sandbox(notification)) return;
  int number = number_of_controlling(notification->caller.thread);
  int slave = number < 0 ? -1 : open_slave(notification, number, flags);
  if (slave >= 0) vt_answer_with_descriptor(notification, slave, flags);
  else if (number < 0) notification->error = ENXIO;
}

static bool own_terminal(struct vt_notification *notification, uint32_t flags) {
  if (!notification->sockets || strncmp(notification->given, "/dev/pt", 7) || vt_has_own_sandbox(notification)) return false;
  bool master = !strcmp(notification->given, "/dev/ptmx") || !strcmp(notification->given, "/dev/pts/ptmx");
  if (!master) return opens_slave(notification, flags);
  vt_answer_with_descriptor(notification, open("/dev/ptmx", (int)(flags & (O_ACCMODE | O_NONBLOCK)) | O_NOCTTY | O_CLOEXEC), flags);
  return true;
}

bool vt_own_world(struct vt_notification *notification) {
  bool opens = vt_opens(notification);
  uint32_t flags = opens ? vt_open_flags(notification) : 0;
  return own_memory(notification, flags, vt_mode(notification)) || (opens && own_terminal(notification, flags));
}

void vt_own_world_read(struct vt_notification *notification) {
  uint64_t path = vt_argument(notification, notification->call->argument);
  bool read = notification->sockets && vt_caller_string(&notification->caller, path, notification->given, sizeof notification->given) == 0;
  if (read) vt_own_world(notification);
}

static void find_terminal(struct vt_notification *notification, const struct vt_harmless_device *device, uint32_t flags) {
  const struct vt_listener *listener = notification->listener;
  if (device->major != VT_TERMINAL_MAJOR) return;
  if (listener->world && listener->mark) open_controlling_terminal(notification, flags);
  else if (!listener->confinement->terminal) notification->error = ENXIO;
}

bool vt_opens_harmless(struct vt_notification *notification, const struct stat *status, uint32_t flags) {
  for (const struct vt_harmless_device *device = vt_harmless_devices; device < vt_harmless_devices + VT_HARMLESS_DEVICES; device++) {
    bool by_node = status && S_ISCHR(status->st_mode) && status->st_rdev == makedev(device->major, device->minor);
    if (!by_node && (status || strcmp(notification->given, device->path))) continue;
    find_terminal(notification, device, flags);
    return true;
  }
  return false;
}
