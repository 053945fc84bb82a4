/* Proves on the running kernel what the filter does: each call is made for real in a child that has installed it,
 * on throw-away files, and the parent looks from outside whether anything changed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "confine/filter/seccomp.h"
#include "confine/filter/seccomp_constants.h"
#include "confine/filter/syscalls.h"
#include "test/check.h"

#define SET_FLAGS 0x40086602UL /* FS_IOC_SETFLAGS, linux/fs.h */

static char directory[] = "/tmp/vitrine-filter-XXXXXX";
static char file[64];
static int file_fd;

/* What a call made under the filter came back with. */
struct outcome {
  long value;
  int error;
};

struct attempt {
  const char *name;
  bool network;
  long (*call)(void);
  long value;
  int error; /* when `value` is -1 */
};

static long ours(enum vt_syscall call, long a, long b, long c, long d) {
  return syscall(vt_syscall_number(call, vt_filter_native_arch()), a, b, c, d);
}

static long do_chmod(void) { return chmod(file, 0777); }
static long do_setflags(void) { return ioctl(file_fd, SET_FLAGS, &(int){0x40}); }
static long do_setflags_high(void) { return syscall(SYS_ioctl, file_fd, 1L << 32 | (long)SET_FLAGS, &(int){0x40}); }
static long do_open_reading(void) { return open(file, O_RDONLY) >= 0 ? 0 : -1; }
static long do_open_mode_3(void) { return open(file, O_ACCMODE); }
static long do_open_truncating(void) { return open(file, O_RDONLY | O_TRUNC); }
static long do_lock_exclusive(void) { return flock(file_fd, LOCK_EX | LOCK_NB); }
static long do_user_namespace(void) { return unshare(CLONE_NEWUSER); }
static long do_io_uring(void) { return ours(VT_SYS_io_uring_setup, 1, 0, 0, 0); }
static long do_internet_socket(void) { return socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : -1; }
/* A shared futex of our own without a waiter. */
static long do_requeue(void) { return syscall(SYS_futex, &(int[2]){0}, 3 /* FUTEX_REQUEUE */, 0, 1L, &(int[2]){0}, 0); }
static long do_unreviewed(void) { return syscall(VT_LAST_REVIEWED_SYSCALL + 1, 0, 0, 0); }

/* Takes an abstract name, which no other process could then bind. */
static long do_abstract_name(void) {
  int pair[2];
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0vitrine-filter-test"};
  return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ? 0 : bind(pair[0], (struct sockaddr *)&name, 22);
}

/* Pretends success: the limit stays. */
static long do_core_limit(void) {
  struct rlimit before, after;
  getrlimit(RLIMIT_CORE, &before);
  struct rlimit lower = {before.rlim_cur ? before.rlim_cur - 1 : 0, before.rlim_max};
  if (setrlimit(RLIMIT_CORE, &lower)) return -1;
  getrlimit(RLIMIT_CORE, &after);
  return after.rlim_cur == before.rlim_cur;
}

static long do_second_listener(void) {
  struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  struct sock_fprog program = {1, &allow};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static const struct attempt attempts[] = {
    {"chmod", false, do_chmod, -1, EROFS},
    {"FS_IOC_SETFLAGS", false, do_setflags, -1, ENOTTY},
    {"FS_IOC_SETFLAGS, bit 32 set", false, do_setflags_high, -1, ENOTTY},
    {"open for reading", false, do_open_reading, 0, 0},
    {"open with access mode 3", false, do_open_mode_3, -1, EACCES},
    {"open O_RDONLY|O_TRUNC", false, do_open_truncating, -1, EACCES},
    {"flock exclusive", false, do_lock_exclusive, -1, EBADF},
    {"setrlimit RLIMIT_CORE", false, do_core_limit, 1, 0},
    {"unshare CLONE_NEWUSER", false, do_user_namespace, -1, EPERM},
    {"io_uring_setup", false, do_io_uring, -1, ENOSYS},
    {"socket AF_INET", false, do_internet_socket, -1, EACCES},
    {"socket AF_INET", true, do_internet_socket, 0, 0},
    {"bind to an abstract name", false, do_abstract_name, -1, EACCES},
    {"FUTEX_REQUEUE, shared", false, do_requeue, -1, ENOSYS},
    {"a second listener", false, do_second_listener, -1, EBUSY},
    {"a call without a review", false, do_unreviewed, -1, ENOSYS},
};

static bool install(bool network) {
  struct sock_filter filter[VT_FILTER_MAX];
  struct vt_filter_options options = {.arch = vt_filter_native_arch(), .abi = 6, .network = network};
  int length = vt_filter_build(&options, filter);
  struct sock_fprog program = {(unsigned short)length, filter};
  return length > 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* Makes the call in a child under the filter; the outcome comes back through shared memory. Returns the wait
 * status. */
static int run_filtered(bool network, long (*call)(void), struct outcome *outcome) {
  pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL); /* the sanitizer's handler would exit */
    if (!install(network)) _exit(2);
    errno = 0;
    outcome->value = call();
    outcome->error = errno;
    _exit(0);
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

static void check_attempt(const struct attempt *attempt, struct outcome *outcome) {
  *outcome = (struct outcome){-2, 0};
  int status = run_filtered(attempt->network, attempt->call, outcome);
  CHECK(status == 0, "%s: wait status %#x", attempt->name, (unsigned)status);
  bool right_error = attempt->value != -1 || outcome->error == attempt->error;
  CHECK(outcome->value == attempt->value && right_error, "%s: %ld, %s", attempt->name, outcome->value,
        strerror(outcome->error));
}

#if defined(__x86_64__)
/* getpid through the 32-bit entry, where its number is 20 (asm/unistd_32.h), a different call here. */
static long do_32_bit_entry(void) {
  long value;
  __asm__ volatile("int $0x80" : "=a"(value) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
  return value;
}

static long do_x32(void) { return syscall(0x40000000 | SYS_getpid); }

/* SIGSYS from the filter, or SIGSEGV from a kernel that has no such entry at all: never an answer. */
static void check_other_entries(struct outcome *outcome) {
  *outcome = (struct outcome){-2, 0};
  int status = run_filtered(false, do_32_bit_entry, outcome);
  int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  CHECK(signal == SIGSYS || signal == SIGSEGV, "status %#x", (unsigned)status);
  check_attempt(&(struct attempt){"x32 getpid", false, do_x32, -1, ENOSYS}, outcome);
}
#else
static void check_other_entries(struct outcome *outcome) { (void)outcome; }
#endif

static void make_file(void) {
  CHECK(mkdtemp(directory) != NULL, "%s: %s", directory, strerror(errno));
  snprintf(file, sizeof file, "%s/file", directory);
  file_fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  CHECK(file_fd >= 0 && write(file_fd, "kept", 4) == 4, "%s: %s", file, strerror(errno));
}

static void check_unchanged(const struct stat *before) {
  struct stat after;
  CHECK(stat(file, &after) == 0, "%s", strerror(errno));
  CHECK(after.st_mode == before->st_mode, "mode %o", after.st_mode);
  CHECK(after.st_uid == before->st_uid, "uid %u", after.st_uid);
  CHECK(after.st_size == before->st_size, "size %ld", (long)after.st_size);
  CHECK(memcmp(&after.st_mtim, &before->st_mtim, sizeof after.st_mtim) == 0, "time of change");
  CHECK(getxattr(file, "user.vitrine", NULL, 0) < 0, "the attribute is there");
}

int main(void) {
  struct outcome *outcome = mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct stat before;
  make_file();
  stat(file, &before);
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) check_attempt(&attempts[i], outcome);
  check_other_entries(outcome);
  check_unchanged(&before);
  unlink(file);
  rmdir(directory);
  return finish("filter holds on this kernel");
}
