#define _GNU_SOURCE
#include "confine/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kernel.h"
#include "confine/landlock.h"

/* linux/seccomp.h; the second since 5.19 */
enum { FLAG_NEW_LISTENER = 1 << 3, FLAG_WAIT_KILLABLE_RECV = 1 << 5 };

static struct vt_probe_result found;
static uint32_t listener_flags;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool tried;

/* Written by the trial child, which shares our memory. */
struct trial {
  bool session;
  int seccomp_errno, listener_errno, killable_errno, core_dumps_errno, listener;
};

static int install(uint32_t flags, int *listener) {
  struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {1, &allow};
  int fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (fd < 0) return errno;
  if (listener) *listener = fd;
  return 0;
}

/* Stays open in the host, whose descriptor table the first child shares: opening takes longer than a read, which tells the present
 * setting (proc_dostring, kernel/sysctl.c). */
static int pattern = -1;

static int destination(void) {
  char first = 0;
  if (pattern < 0) pattern = vt_above_standard(open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC));
  return pattern < 0 || pread(pattern, &first, 1, 0) < 0 ? -1 : first;
}

/* 1, not 0: with 0 the kernel still starts the program of a pipe; 1 means never (fs/coredump.c). A dump to a socket (Linux
 * 6.16) ignores the limit, and exec(2) makes an undumpable process dumpable again. */
int vt_core_dumps_stop(void) {
  struct rlimit never = {1, 1}, zero = {0, 0};
  int to = destination();
  if (to < 0) return -1;
  if (to == '@') {
    errno = EPROTONOSUPPORT;
    return -1;
  }
  if (setrlimit(RLIMIT_CORE, &never) == 0) return 0;
  /* The hard limit is already 0. */
  return to == '|' ? -1 : setrlimit(RLIMIT_CORE, &zero);
}

/* Listeners first, the second only if the first failed: one beneath another fails with EBUSY. */
static int try_filters(void *context) {
  struct trial *trial = context;
  trial->core_dumps_errno = vt_core_dumps_stop() ? errno : 0;
  trial->session = setsid() >= 0 && getsid(0) == (pid_t)syscall(SYS_getpid);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  trial->killable_errno = install(FLAG_NEW_LISTENER | FLAG_WAIT_KILLABLE_RECV, &trial->listener);
  trial->listener_errno = trial->killable_errno ? install(FLAG_NEW_LISTENER, &trial->listener) : 0;
  trial->seccomp_errno = install(0, NULL);
  _exit(0);
}

/* Before some 6.x kernel a zombie holds its filter until reaped. Waits for the end without reaping, then polls. */
static bool zombie_lets_go(pid_t pid, int listener) {
  siginfo_t info;
  struct pollfd polled = {listener, POLLIN, 0};
  if (listener < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT)) return false;
  return poll(&polled, 1, 0) > 0 && (polled.revents & POLLHUP);
}

/* clone(2): too few processes, descriptors or memory, which may pass. Any other error says what the kernel does not offer. */
static bool may_pass(int error) { return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE; }

static void try_in_child(struct trial *trial) {
  char stack[16 * 1024] __attribute__((aligned(16)));
  sigset_t all, before;
  int pidfd = -1;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = clone(try_filters, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FILES | RETURN_PIDFD | SIGCHLD, trial, &pidfd);
  int error = errno;
  if (pid > 0) {
    found.listener_proves = zombie_lets_go(pid, trial->listener);
    found.limits = trial->listener >= 0 && prlimit(pid, RLIMIT_LOCKS, NULL, &(struct rlimit){0, 0}) == 0;
    waitpid(pid, NULL, 0);
  }
  if (trial->listener >= 0) close(trial->listener);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  found.pidfd = pid > 0 && pidfd >= 0;
  found.trial_errno = pid < 0 && may_pass(error) ? error : 0;
  if (pid < 0) trial->seccomp_errno = trial->listener_errno = trial->killable_errno = error;
  if (pidfd >= 0) close(pidfd);
}

/* EBADF comes from the kernel itself. Docker's default filter answers EPERM, kernels before 5.6 ENOSYS. */
static int getfd_errno(void) {
  syscall(NR_PIDFD_GETFD, -1, 0, 0);
  return errno == EBADF ? 0 : errno;
}

static int yama_scope(void) {
  char text[8] = "";
  int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  return length > 0 ? atoi(text) : -1;
}

static void look(void) {
  struct trial trial = {false, EINVAL, EINVAL, EINVAL, EINVAL, -1};
  int abi = vt_landlock_abi();
  found.landlock_errno = abi < 0 ? errno : 0;
  found.landlock_abi = abi < 0 ? 0 : abi;
  found.landlock_errata = abi < 0 ? 0 : vt_landlock_errata();
  found.yama = yama_scope();
  try_in_child(&trial);
  found.core_dumps_errno = trial.core_dumps_errno;
  found.sessions = trial.session;
  found.seccomp = trial.seccomp_errno == 0;
  found.seccomp_errno = trial.seccomp_errno;
  found.listener = trial.listener_errno == 0;
  found.listener_errno = trial.listener_errno;
  found.getfd_errno = found.listener ? getfd_errno() : 0; /* an outer vitrine would report the call */
  listener_flags = FLAG_NEW_LISTENER | (trial.killable_errno ? 0 : FLAG_WAIT_KILLABLE_RECV);
}

const struct vt_probe_result *vt_probe(void) {
  pthread_mutex_lock(&lock);
  if (!tried) look();
  tried = found.trial_errno == 0;
  pthread_mutex_unlock(&lock);
  return &found;
}

uint32_t vt_probe_listener_flags(void) {
  vt_probe();
  return listener_flags;
}
