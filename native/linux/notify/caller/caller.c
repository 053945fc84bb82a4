#define _GNU_SOURCE
#include "notify/caller/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kernel.h"
#include "base/procfs.h"
#include "base/threads.h"
#include "base/watched.h"
#include "confine/capabilities.h"
#include "confine/confinement.h"
#include "confine/ruleset.h"
#include "notify/notification.h"

enum { PAGE = 4096 };

/* Signal 0 tells whether the thread leads its group, at a tenth of the cost of reading /proc (tgkill(2)). */
pid_t vt_caller_process(const struct vt_caller *caller) {
  pid_t thread = caller->thread;
  if (syscall(SYS_tgkill, thread, thread, 0) == 0 || errno == EPERM) return thread;
  char status[512];
  vt_procfs_read(thread, "status", status, sizeof status);
  pid_t process = (pid_t)vt_number_after(status, "\nTgid:");
  return process > 0 ? process : thread;
}

void vt_caller_identify(struct vt_caller *caller) {
  caller->process = vt_caller_process(caller);
  size_t length = vt_procfs_read(caller->process, "comm", caller->program, sizeof caller->program);
  if (length > 0 && caller->program[length - 1] == '\n') caller->program[length - 1] = 0;
}

/* Docker's default filter refuses process_vm_readv(2) without CAP_SYS_PTRACE. This needs the same right (proc_pid_mem(5)). */
static ssize_t read_through_proc(const struct vt_caller *caller, uint64_t address, void *to, size_t size) {
  int fd = vt_procfs_file(caller->thread, "mem"), error = EPERM;
  ssize_t length = fd < 0 ? -1 : pread(fd, to, size, (off_t)address);
  if (fd >= 0 && length < 0) error = errno == EIO ? EFAULT : errno;
  if (fd >= 0) close(fd);
  errno = error;
  return length;
}

ssize_t vt_caller_read(const struct vt_caller *caller, uint64_t address, void *to, size_t size) {
  struct iovec ours = {to, size}, theirs = {(void *)(uintptr_t)address, size};
  ssize_t length = process_vm_readv(caller->thread, &ours, 1, &theirs, 1, 0);
  return length < 0 && (errno == EPERM || errno == ENOSYS) ? read_through_proc(caller, address, to, size) : length;
}

ssize_t vt_caller_write(const struct vt_caller *caller, uint64_t address, const void *from, size_t size) {
  struct iovec ours = {(void *)(uintptr_t)from, size}, theirs = {(void *)(uintptr_t)address, size};
  return process_vm_writev(caller->thread, &ours, 1, &theirs, 1, 0);
}

/* Arguments and environment, which /proc shows even if Yama forbids reading the memory. */
static const struct given {
  int first_field; /* of proc_pid_stat(5): the start address; the next field is the end */
  const char *file;
} givens[] = {{48, "cmdline"}, {50, "environ"}};

/* Both 0 if unknown. */
static void find_given(const char *stat, const struct given *given, uint64_t *start, uint64_t *end) {
  *start = *end = 0;
  const char *at = strrchr(stat, ')'); /* the program's name before it may contain anything */
  for (int field = 2; at && field < given->first_field; field++) at = strchr(at + 1, ' ');
  if (at) sscanf(at, " %" SCNu64 " %" SCNu64, start, end);
}

static bool read_given(const struct vt_caller *caller, const char *file, uint64_t offset, char *to, size_t size) {
  int fd = vt_procfs_file(caller->thread, file);
  if (fd < 0) return false;
  ssize_t length = pread(fd, to, size, (off_t)offset);
  close(fd);
  return length > 0 && memchr(to, 0, (size_t)length);
}

/* Reads a string among the program's arguments or environment, as most paths are. EPERM if it lies elsewhere. */
static int given_string(const struct vt_caller *caller, uint64_t address, char *to, size_t size) {
  char stat[1024];
  vt_procfs_read(caller->thread, "stat", stat, sizeof stat);
  for (size_t at = 0; at < sizeof givens / sizeof *givens; at++) {
    uint64_t start, end;
    find_given(stat, &givens[at], &start, &end);
    if (address < start || address >= end) continue;
    return read_given(caller, givens[at].file, address - start, to, size) ? 0 : EPERM;
  }
  return EPERM;
}

/* Page by page, as the next page may be unmapped; the first read is short, like most paths. */
int vt_caller_string(const struct vt_caller *caller, uint64_t address, char *to, size_t size) {
  enum { BITE = 256 };
  for (size_t have = 0; have < size;) {
    size_t wanted = PAGE - (address + have) % PAGE;
    if (have == 0 && wanted > BITE) wanted = BITE;
    if (wanted > size - have) wanted = size - have;
    ssize_t length = vt_caller_read(caller, address + have, to + have, wanted);
    if (length < 0 && errno == EPERM && have == 0) return given_string(caller, address, to, size);
    if (length <= 0) return length < 0 ? errno : EFAULT;
    if (memchr(to + have, 0, (size_t)length)) return 0;
    have += (size_t)length;
  }
  return ENAMETOOLONG;
}

static const char *link_of(const struct vt_caller *caller, int descriptor, char link[48]) {
  if (descriptor == AT_FDCWD) snprintf(link, 48, "/proc/%d/cwd", caller->thread);
  else snprintf(link, 48, "/proc/%d/fd/%d", caller->thread, descriptor);
  return link;
}

ssize_t vt_caller_path(const struct vt_caller *caller, int descriptor, char *to, size_t size) {
  char link[48];
  ssize_t length = readlink(link_of(caller, descriptor, link), to, size - 1);
  if (length >= 0) to[length] = 0;
  return length;
}

int vt_caller_open(const struct vt_caller *caller, int descriptor, int flags) {
  char link[48];
  return open(link_of(caller, descriptor, link), flags | O_CLOEXEC);
}

bool vt_caller_is_dumpable(const struct vt_caller *caller) {
  char path[32];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/status", caller->thread);
  return geteuid() == 0 || (stat(path, &status) == 0 && status.st_uid == geteuid());
}

/* linux/pidfd.h: PIDFD_THREAD, Linux 6.9; before, by its process. */
int vt_borrow_descriptor(const struct vt_caller *caller, int number) {
  enum { OF_THREAD = O_EXCL };
  int pidfd = (int)syscall(NR_PIDFD_OPEN, caller->thread, OF_THREAD);
  if (pidfd < 0) pidfd = (int)syscall(NR_PIDFD_OPEN, vt_caller_process(caller), 0);
  if (pidfd < 0) return -1;
  int fd = (int)syscall(NR_PIDFD_GETFD, pidfd, number, 0);
  vt_close(pidfd);
  return fd;
}

/* Closing any descriptor of a file drops all POSIX locks of that descriptor table on it (F_SETLK(2const)): a command could
 * make the host lose a database lock. So only a thread with its own table borrows. The descriptor is certain to be the caller's only
 * if the call still waits (seccomp_unotify(2)). */
int vt_borrow_proven(const struct vt_notification *notification, int number) {
  int fd = notification->apart ? vt_borrow_descriptor(&notification->caller, number) : -1;
  if (fd < 0 || vt_caller_still_waits(notification)) return fd;
  close(fd);
  return -1;
}

static bool has_domain(const struct vt_notification *notification) {
  const struct vt_listener *listener = notification->listener;
  if (!__atomic_load_n(&listener->has_domains, __ATOMIC_ACQUIRE)) return false;
  return mark_limit_of(notification->caller.thread) != (listener->mark | MARK_UNBOUND);
}

/* The only capability that a command of root has (launch/child.c), and the only one of the acting thread that opens files. */
bool vt_lacks_capability(const struct vt_notification *notification) {
  struct __user_cap_data_struct own[2];
  char status[8192];
  if (!__atomic_load_n(&notification->listener->capabilities_vary, __ATOMIC_ACQUIRE)) return false;
  if (vt_capabilities_read(own) == 0 && !(own[0].effective & 1u << CAP_DAC_READ_SEARCH)) return false;
  vt_procfs_read(notification->caller.thread, "status", status, sizeof status);
  return !(vt_bits_after(status, "\nCapEff:") & 1u << CAP_DAC_READ_SEARCH);
}

bool vt_has_own_sandbox(const struct vt_notification *notification) { return has_domain(notification) || vt_lacks_capability(notification); }

static bool take_umask(const struct vt_notification *notification) {
  const struct vt_listener *listener = notification->listener;
  bool varies = !notification->roots || __atomic_load_n(&listener->umask_varies, __ATOMIC_RELAXED);
  int mask = varies ? vt_procfs_umask(notification->caller.thread) : (int)listener->umask;
  if (mask >= 0) umask((mode_t)mask);
  return mask >= 0;
}

bool vt_may_act(const struct vt_notification *notification) {
  return (notification->roots || notification->sockets) && take_umask(notification) && vt_caller_still_waits(notification);
}

struct errand {
  int ruleset;
  long call, arguments[5];
  long result;
  int error;
};

static void make_call(struct errand *errand) {
  const long *with = errand->arguments;
  errand->result = syscall(errand->call, with[0], with[1], with[2], with[3], with[4]);
  errand->error = errno;
}

/* Both last as long as the thread: prctl(2), landlock_restrict_self(2). The kernel copies the rules each time, about 0.1 us a rule. */
static void *run(void *context) {
  struct errand *errand = context;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || vt_landlock_restrict(errand->ruleset)) errand->error = errno;
  else make_call(errand);
  return NULL;
}

static int carry_out(struct errand *errand) {
  if (errand->ruleset < 0) make_call(errand);
  else if (vt_thread_run("vitrine-read", run, errand)) return -1;
  errno = errand->error;
  return (int)errand->result;
}

static int ruleset_of(const struct vt_notification *notification) { return notification->listener->confinement->reading; }

/* A file that this call makes holds nothing yet. */
int vt_as_reader_open(const struct vt_notification *notification, int directory, const char *name, int flags, mode_t mode) {
  int ruleset = (flags & O_ACCMODE) == O_WRONLY || (flags & O_TMPFILE) == O_TMPFILE ? -1 : ruleset_of(notification);
  if (ruleset >= 0 && (flags & O_CREAT)) {
    int fd = openat(directory, name, flags | O_EXCL, mode);
    if (fd >= 0 || errno != EEXIST || (flags & O_EXCL)) return fd;
  }
  struct errand errand = {ruleset, SYS_openat, {directory, (long)name, flags, (long)mode, 0}, -1, 0};
  return carry_out(&errand);
}

int vt_as_reader_move(const struct vt_notification *notification, long call, int from, const char *old, int to, const char *new, uint32_t flags) {
  struct errand errand = {ruleset_of(notification), call, {from, (long)old, to, (long)new, (long)flags}, -1, 0};
  return carry_out(&errand);
}

bool vt_call_still_waits(int listener, uint64_t id) { return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0; }

bool vt_end_call(int listener, uint64_t id, int error) {
  struct seccomp_notif_resp response = {.id = id, .error = -error};
  return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
}

void vt_send_descriptor(int listener, uint64_t id, int fd, uint32_t flags) {
  struct seccomp_notif_addfd addfd = {
      .id = id,
      .flags = SECCOMP_ADDFD_FLAG_SEND,
      .srcfd = (uint32_t)fd,
      .newfd_flags = flags,
  };
  int failed = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &addfd) < 0 ? errno : 0;
  close(fd);
  if (failed && failed != ENOENT) vt_end_call(listener, id, failed); /* EMFILE: the caller's limit */
}
