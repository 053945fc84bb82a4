#define _GNU_SOURCE
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/files.h"
#include "base/kernel.h"
#include "base/threads.h"
#include "base/watched.h"
#include "confine/confine.h"
#include "notify/notifiers.h"
#include "supervise/supervise.h"
#include "watcher/host_side.h"

/* One thread launches, suspended until its child executes. On a hung file system that may be never: after STUCK_MS it is another
 * one's turn. At most LAUNCHERS threads hang. */
enum { LAUNCHERS = 8, STUCK_MS = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, preparing = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued;
static struct vt_command *first, **last = &first;
static int threads, idle;
static uint32_t turns;
static int64_t since; /* when the last turn began, in monotonic milliseconds; 0: it is over */
static bool guarded;  /* a thread waits for its end, or for STUCK_MS */

static int fail(struct vt_command *command, const char *step) {
  command->failed_step = step;
  command->failed_errno = errno;
  return -1;
}

/* Not a socketpair: opening /dev/stderr on a socket fails with ENXIO (unix(7)). */
static struct vt_pipe *open_pipe(struct vt_command *command, int stream) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return NULL;
  ends[0] = vt_above_standard(ends[0]);
  ends[1] = vt_above_standard(ends[1]);
  /* Only our end is non-blocking: the flag belongs to the open file description (fcntl(2)). */
  if (ends[0] < 0 || ends[1] < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK)) {
    vt_close(ends[0]);
    vt_close(ends[1]);
    return NULL;
  }
  struct vt_pipe *pipe = vt_must(malloc(sizeof *pipe));
  *pipe = (struct vt_pipe){.fd = ends[0], .stream = stream, .command = command};
  pipe->source = (struct vt_source){VT_SOURCE_PIPE, pipe};
  command->write_ends[stream] = ends[1];
  return pipe;
}

static int open_pipes(struct vt_command *command) {
  if (command->terminal) return 0;
  for (int stream = 0; stream < (command->merged ? 1 : VT_STREAMS); stream++) {
    command->pipes[stream] = open_pipe(command, stream);
    if (!command->pipes[stream]) return fail(command, "pipes");
  }
  return 0;
}

/* For each command: flags and locks of a shared one would outlive it. Not by the child: the ruleset may grant a /dev/null that has
 * been replaced since. */
static int open_input(struct vt_command *command) {
  if (command->stdin_fd >= 0) return 0;
  command->stdin_fd = vt_above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC));
  command->owns_stdin = true;
  return command->stdin_fd < 0 ? fail(command, "standard streams") : 0;
}

static int take_slot(struct vt_command *command) {
  command->slot = vt_watcher_take_slot();
  if (!command->slot) return fail(command, "watcher");
  if (command->confinement && command->confinement->marks) command->mark = mark_make(vt_watcher_host(), command->id);
  return 0;
}

static int take_cgroup(struct vt_command *command) {
  const struct vt_limits *limits = &command->limits;
  if (!limits->memory_bytes && !limits->cpu_seconds && !limits->processes) return 0;
  if (!vt_cgroup_base(NULL)) return 0;
  vt_watcher_enter_cgroup(command->slot, command->id);
  command->cgroup_fd = vt_cgroup_make(command->cgroup, vt_watcher_host(), command->id, limits);
  return command->cgroup_fd < 0 ? fail(command, "cgroup") : 0;
}

static void close_child_ends(struct vt_command *command) {
  for (int stream = 0; stream < VT_STREAMS; stream++) {
    if (command->write_ends[stream] >= 0) close(command->write_ends[stream]);
    command->write_ends[stream] = -1;
  }
  if (command->owns_stdin && command->stdin_fd >= 0) close(command->stdin_fd);
  command->stdin_fd = -1;
  if (command->state_fd > 0) close(command->state_fd);
  command->state_fd = 0;
  if (command->cgroup[0]) close(command->cgroup_fd);
}

static int reserve_notifier(struct vt_command *command) {
  if (!command->confinement || !command->confinement->listener) return 0;
  bool own = command->confinement->workspace || command->world;
  if (vt_notifier_reserve(own)) return fail(command, "native threads");
  command->reserves_notifier = own;
  return 0;
}

static int confine(struct vt_command *command) {
  const char *step;
  if (!command->places || vt_confine(command, &step) == 0) return 0;
  return fail(command, step);
}

static bool prepare(struct vt_command *command) {
  if (confine(command) || reserve_notifier(command)) return false;
  pthread_mutex_lock(&preparing);
  bool ready = open_pipes(command) == 0 && open_input(command) == 0 && take_slot(command) == 0 && take_cgroup(command) == 0;
  pthread_mutex_unlock(&preparing);
  return ready;
}

/* linux/sched.h (5.7: CLONE_ARGS_SIZE_VER2) */
#define INTO_CGROUP UINT64_C(0x200000000)

struct arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

/* clone3(2), which has no libc wrapper: creates a child directly in a cgroup (CLONE_INTO_CGROUP, Linux 5.7). It has its own
 * stack but the parent's registers: it must not return into the parent's C code. */
static long clone3(const struct arguments *arguments, int (*run)(void *), void *context) {
#if defined(__x86_64__)
  long result;
  register int (*r8)(void *) __asm__("r8") = run;
  register void *r9 __asm__("r9") = context;
  __asm__ volatile("syscall\n"
                   "test %%rax, %%rax\n"
                   "jnz 1f\n"
                   "xor %%ebp, %%ebp\n"
                   "mov %%r9, %%rdi\n"
                   "call *%%r8\n"
                   "ud2\n"
                   "1:"
                   : "=a"(result)
                   : "a"((long)NR_CLONE3), "D"(arguments), "S"(sizeof *arguments), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#else /* aarch64: seccomp.c knows no other */
  register long x8 __asm__("x8") = NR_CLONE3, x0 __asm__("x0") = (long)arguments, x1 __asm__("x1") = sizeof *arguments;
  register int (*x2)(void *) __asm__("x2") = run;
  register void *x3 __asm__("x3") = context;
  __asm__ volatile("svc 0\n"
                   "cbnz x0, 1f\n"
                   "mov x29, #0\n"
                   "mov x0, x3\n"
                   "blr x2\n"
                   "brk #0\n"
                   "1:"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
                   : "memory");
  return x0;
#endif
}

static pid_t clone_into_cgroup(struct vt_command *command, int flags) {
  const struct arguments arguments = {
      .flags = INTO_CGROUP | (unsigned)flags,
      .pidfd = (uintptr_t)&command->pidfd,
      .exit_signal = SIGCHLD,
      .stack = (uintptr_t)command->room->stack,
      .stack_size = VT_CHILD_STACK,
      .cgroup = (uint64_t)command->cgroup_fd,
  };
  long pid = clone3(&arguments, vt_child, command);
  if (pid >= 0) return (pid_t)pid;
  errno = (int)-pid;
  return -1;
}

/* E2BIG, EINVAL: an older kernel. EPERM: an older container runtime's filter, or the cgroup refuses: joining it then fails as well. */
static bool is_unsupported(int error) { return error == ENOSYS || error == E2BIG || error == EINVAL || error == EPERM; }

static void reap_failed(struct vt_command *command) {
  siginfo_t info;
  while (waitid(P_PID, (id_t)command->pid, &info, WEXITED) != 0 && errno == EINTR) continue;
  if (command->pidfd >= 0) close(command->pidfd);
  if (command->listener_fd >= 0) close(command->listener_fd);
  command->pidfd = command->listener_fd = -1;
}

/* If the kernel cannot create the child in its cgroup, the child joins it before exec. */
static pid_t start_child(struct vt_command *command) {
  int flags = CLONE_VM | CLONE_VFORK | RETURN_PIDFD | (command->confinement ? CLONE_FILES : 0);
  command->cgroup_door = -1;
  if (command->cgroup[0]) {
    pid_t pid = clone_into_cgroup(command, flags);
    if (pid >= 0 || !is_unsupported(errno)) return pid;
    command->cgroup_door = vt_cgroup_open_door(command->cgroup_fd);
    if (command->cgroup_door < 0) return -1;
  }
  pid_t pid = clone(vt_child, command->room->stack + VT_CHILD_STACK, flags | SIGCHLD, command, &command->pidfd);
  if (command->cgroup_door >= 0) vt_close(command->cgroup_door);
  return pid;
}

/* The child was killed. Without a listener the sweep would wait for ever for a proof that it is empty. */
static bool ended_before_filter(const struct vt_command *command) {
  bool listens = command->confinement && command->confinement->listener;
  return listens && command->listener_fd < 0 && !command->failed_step;
}

/* Sets pid, pidfd and listener_fd, or failed_step and failed_errno. */
static void spawn(struct vt_command *command, struct vt_launch_room *room) {
  command->room = room;
  command->host = getpid();
  command->pid = start_child(command);
  if (command->pid < 0) return (void)fail(command, "clone");
  if (ended_before_filter(command)) {
    command->failed_step = "seccomp";
    command->failed_errno = ECHILD;
  }
  if (command->failed_step) reap_failed(command);
}

static void launch(struct vt_command *command, struct vt_launch_room *room) {
  if (prepare(command)) spawn(command, room);
  close_child_ends(command);
  vt_supervisor_launched(command);
}

static int start(void);

static struct vt_command *take(uint32_t *turn) {
  pthread_mutex_lock(&lock);
  if (*turn == turns) since = 0;
  idle++;
  while (!first || since + STUCK_MS > vt_now()) {
    guarded = first != NULL;
    if (first) vt_condition_wait(&queued, &lock, (since + STUCK_MS) * 1000000);
    else pthread_cond_wait(&queued, &lock);
    guarded = false;
  }
  idle--;
  struct vt_command *command = first;
  first = command->queued;
  if (!first) last = &first;
  since = vt_now();
  *turn = ++turns;
  if (idle == 0) start(); /* may fail: then only the relief is missing */
  pthread_mutex_unlock(&lock);
  return command;
}

static void *launch_forever(void *room) {
  for (uint32_t turn = 0;;) launch(take(&turn), room);
  return NULL;
}

/* Under the lock. */
static int start(void) {
  if (threads == LAUNCHERS) return 0;
  struct vt_launch_room *room = vt_must(malloc(sizeof *room));
  if (vt_thread_try("vitrine-launch", launch_forever, room)) {
    free(room);
    return -1;
  }
  threads++;
  return 0;
}

static int start_first(void) {
  vt_condition_open(&queued);
  pthread_mutex_lock(&lock);
  int error = start();
  pthread_mutex_unlock(&lock);
  return error;
}

int vt_launcher_ready(void) {
  static struct vt_once once = VT_ONCE;
  return vt_start_once(&once, start_first);
}

void vt_launcher_queue(struct vt_command *command) {
  pthread_mutex_lock(&lock);
  command->queued = NULL;
  *last = command;
  last = &command->queued;
  if (!since || !guarded) pthread_cond_signal(&queued);
  pthread_mutex_unlock(&lock);
}
