#define _GNU_SOURCE
#include "notify/caller/caller.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/procfs.h"

enum { PAGE = 4096 };

static bool read_comm(int fd, char program[VT_PROGRAM_BYTES]) {
  ssize_t length = pread(fd, program, VT_PROGRAM_BYTES, 0);
  if (length <= 0) return false;
  program[length - 1] = 0; /* replaces the newline, so a name of the maximal length still fits */
  return true;
}

/* Signal 0 tells whether the thread leads its group, at a tenth of the cost of reading /proc (tgkill(2)). */
pid_t vt_caller_process(const struct vt_caller *caller) {
  pid_t thread = caller->thread;
  if (syscall(SYS_tgkill, thread, thread, 0) == 0 || errno == EPERM) return thread;
  char status[512];
  vt_procfs_read(thread, "status", status, sizeof status);
  pid_t process = (pid_t)vt_number_after(status, "\nTgid:");
  return process > 0 ? process : thread;
}

void vt_caller_forget(struct vt_known_caller *known) {
  if (known->thread) close(known->comm);
  if (known->opened) close(known->pidfd);
  *known = (struct vt_known_caller){.thread = 0};
}

void vt_caller_identify(struct vt_caller *caller, struct vt_known_caller *known) {
  if (known->thread == caller->thread && read_comm(known->comm, caller->program)) {
    caller->process = known->process;
    return;
  }
  if (known->thread) close(known->comm);
  known->thread = 0;
  caller->process = vt_caller_process(caller);
  caller->program[0] = 0;
  int comm = vt_procfs_file(caller->process, "comm");
  if (comm < 0) return;
  if (!read_comm(comm, caller->program)) {
    close(comm);
    return;
  }
  known->thread = caller->thread;
  known->process = caller->process;
  known->comm = comm;
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

ssize_t vt_caller_link(const struct vt_caller *caller, const char *link, char *to, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", caller->thread, link);
  ssize_t length = readlink(path, to, size - 1);
  if (length >= 0) to[length] = 0;
  return length;
}

bool vt_caller_is_dumpable(const struct vt_caller *caller) {
  char path[32];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/status", caller->thread);
  return geteuid() == 0 || (stat(path, &status) == 0 && status.st_uid == geteuid());
}
