#define _GNU_SOURCE
#include "watcher/host_side.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kernel.h"
#include "limits/limits.h"
#include "base/watched.h"
#include "watcher_image.h"

enum { EXECUTABLE_MEMFD = 0x10, TAKEN = -1 }; /* linux/memfd.h (6.3) */

/* The watcher's descriptors are 0 to 5; the sources are first duplicated above them. */
enum { WATCHER_FDS = 6, ABOVE = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_watch_table *table;
static int table_fd = -1, pipe_write = -1;
static pid_t watcher; /* written under the lock */

struct start {
  int image, table, pipe, cgroups, error;
};

static void ignore_signals(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  for (int signal = 1; signal < NSIG; signal++)
    if (signal != SIGKILL && signal != SIGSTOP) sigaction(signal, &ignore, NULL);
}

/* Runs in the host's memory until exec: must neither allocate nor lock. */
static int become_watcher(void *context) {
  static char *const arguments[] = {(char *)"vitrine-watcher", NULL}, *const environment[] = {NULL};
  struct start *start = context;
  ignore_signals();
  setsid();
  int image = fcntl(start->image, F_DUPFD, ABOVE), null = open("/dev/null", O_RDWR);
  if (null >= 0) null = fcntl(null, F_DUPFD, ABOVE);
  int table_of = fcntl(start->table, F_DUPFD, ABOVE), pipe_of = fcntl(start->pipe, F_DUPFD, ABOVE);
  int cgroups = start->cgroups < 0 ? null : fcntl(start->cgroups, F_DUPFD, ABOVE);
  const int sources[] = {null, null, null, table_of, pipe_of, cgroups};
  bool ready = image >= 0;
  for (int fd = 0; fd < WATCHER_FDS; fd++) ready = ready && sources[fd] >= 0 && dup2(sources[fd], fd) == fd;
  if (ready && chdir("/") == 0 && vt_close_at_exec(WATCHER_FDS) == 0)
    syscall(SYS_execveat, image, "", arguments, environment, AT_EMPTY_PATH);
  start->error = errno;
  _exit(1);
}

/* Goes on after a short write, which has no errno: the next one has. */
static int write_image(int fd) {
  for (size_t at = 0; at < sizeof vt_watcher_image;) {
    ssize_t written = write(fd, vt_watcher_image + at, sizeof vt_watcher_image - at);
    if (written < 0 && errno != EINTR) return -1;
    if (written > 0) at += (size_t)written;
  }
  return 0;
}

/* A file that is open for writing cannot be executed (ETXTBSY, execve(2)). */
static int reopen(int fd) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return open(path, O_RDONLY | O_CLOEXEC);
}

/* A memfd, or an unnamed file in /tmp where memfds cannot be executed (vm.memfd_noexec). */
static int open_image(void) {
  int fd = memfd_create("vitrine-watcher", MFD_CLOEXEC | EXECUTABLE_MEMFD);
  if (fd < 0) fd = memfd_create("vitrine-watcher", MFD_CLOEXEC);
  if (fd < 0) fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0700);
  if (fd < 0) return -1;
  int image = write_image(fd) ? -1 : reopen(fd);
  vt_close(fd);
  return image;
}

static int make_table(void) {
  if (table) return 0;
  uint64_t host = 0;
  if (getrandom(&host, sizeof host, 0) != sizeof host) return -1;
  if (table_fd < 0) table_fd = memfd_create("vitrine-commands", MFD_CLOEXEC);
  if (table_fd < 0 || ftruncate(table_fd, sizeof *table)) return -1;
  void *pages = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, table_fd, 0);
  if (pages == MAP_FAILED) return -1;
  table = pages;
  table->host = host | 1;
  return 0;
}

static int clone_watcher(struct start *start) {
  static char stack[16 * 1024] __attribute__((aligned(16))); /* under the lock */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = clone(become_watcher, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (pid < 0) return error;
  if (start->error) waitpid(pid, NULL, 0);
  else __atomic_store_n(&watcher, pid, __ATOMIC_RELEASE);
  return start->error;
}

static int start_watcher(void) {
  int ends[2], image;
  if (make_table() || (image = open_image()) < 0) return errno;
  if (pipe2(ends, O_CLOEXEC)) {
    vt_close(image);
    return errno;
  }
  struct start start = {image, table_fd, ends[0], vt_cgroup_open_base(), 0};
  int error = clone_watcher(&start);
  close(image);
  if (start.cgroups >= 0) close(start.cgroups);
  close(ends[0]);
  if (error) {
    close(ends[1]);
  } else {
    if (pipe_write >= 0) close(pipe_write);
    pipe_write = ends[1];
  }
  return error;
}

/* Reaps a watcher that was killed from outside: the next one uses the same table. */
static int is_running(void) {
  return watcher > 0 && waitpid(watcher, NULL, WNOHANG) == 0;
}

int vt_core_watch(void) {
  pthread_mutex_lock(&lock);
  int error = 0;
  if (!is_running()) {
    __atomic_store_n(&watcher, 0, __ATOMIC_RELEASE);
    error = start_watcher();
  }
  pthread_mutex_unlock(&lock);
  return error;
}

struct vt_watch_slot *vt_watcher_take_slot(void) {
  static int next;
  errno = vt_core_watch();
  if (errno) return NULL;
  for (int tried = 0; tried < VT_WATCH_TABLE_SLOTS; tried++) {
    struct vt_watch_slot *slot = &table->commands[next];
    next = (next + 1) % VT_WATCH_TABLE_SLOTS;
    if (__atomic_load_n(&slot->session, __ATOMIC_ACQUIRE)) continue;
    __atomic_store_n(&slot->session, TAKEN, __ATOMIC_RELEASE);
    return slot;
  }
  errno = EAGAIN;
  return NULL;
}

void vt_watcher_enter(struct vt_watch_slot *slot, int32_t session, uint32_t cookie, uint64_t mark) {
  slot->cookie = cookie;
  slot->mark = mark;
  __atomic_store_n(&slot->session, session, __ATOMIC_RELEASE);
}

uint64_t vt_watcher_host(void) { return table ? table->host : 0; }

void vt_watcher_enter_cgroup(struct vt_watch_slot *slot, uint32_t command) {
  __atomic_store_n(&slot->cgroup, command, __ATOMIC_RELEASE);
}

void vt_watcher_free_slot(struct vt_watch_slot *slot) {
  slot->cookie = 0;
  slot->mark = 0;
  slot->cgroup = 0;
  __atomic_store_n(&slot->session, 0, __ATOMIC_RELEASE);
}

bool vt_watcher_cookie(uint32_t command, char *text, size_t room) {
  pthread_mutex_lock(&lock);
  int error = make_table();
  pthread_mutex_unlock(&lock);
  if (error) return false;
  int length = snprintf(text, room, VT_COOKIE_NAME "%0*" PRIx64 "-%0*" PRIx32, VT_COOKIE_HOST_DIGITS, table->host,
                        VT_COOKIE_COMMAND_DIGITS, command);
  return length > 0 && (size_t)length < room;
}

int vt_core_watcher_pid(void) { return __atomic_load_n(&watcher, __ATOMIC_ACQUIRE); }

/* The lock prevents reaping, so the pid is not reused. */
int vt_watcher_open(void) {
  pthread_mutex_lock(&lock);
  int pidfd = -1;
  errno = ESRCH;
  if (watcher > 0) pidfd = (int)syscall(NR_PIDFD_OPEN, watcher, 0);
  pthread_mutex_unlock(&lock);
  return pidfd;
}
