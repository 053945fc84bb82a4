#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kernel.h"
#include "base/watched.h"
#include "confine/capabilities.h"
#include "confine/confinement.h"
#include "confine/filter/seccomp.h"
#include "confine/landlock.h"
#include "confine/probe.h"
#include "launch/launch.h"
#include "notify/listener.h"
#include "watcher/host_side.h"

enum { SET_MODE_FILTER = 1 }; /* linux/seccomp.h */

/* One step in the child. `run` returns 0, or -1 with errno, which ends the launch. */
struct step {
  const char *name;
  enum { ANY, CONFINED } command;
  int (*run)(struct vt_command *command);
};

/* Before Linux 5.2 clone(2) returns none, and the end of the command would go unnoticed. */
static int have_pidfd(struct vt_command *command) {
  errno = ENOSYS;
  return command->pidfd >= 0 ? 0 : -1;
}

/* Standard signals (signal(7)): hosts do not ignore real-time ones, and exec resets handlers. */
static int reset_signals(struct vt_command *command) {
  (void)command;
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal <= SIGSYS; signal++)
    if (signal != SIGKILL && signal != SIGSTOP) sigaction(signal, &standard, NULL);
  return 0;
}

/* Before the watcher knows it. */
static int take_mark(struct vt_command *command) {
  struct rlimit limit = {command->mark | MARK_UNBOUND, command->mark | MARK_UNBOUND};
  return command->mark ? setrlimit(RLIMIT_LOCKS, &limit) : 0;
}

/* The watcher must know the session before the command can start another process. */
static int new_session(struct vt_command *command) {
  if (setsid() < 0) return -1;
  if (command->slot) vt_watcher_enter(command->slot, (int32_t)syscall(SYS_getpid), command->confinement ? 0 : command->id, command->mark);
  return 0;
}

/* Makes it the controlling terminal, with the leader's group in the foreground (ioctl_tty(2)). */
static int take_terminal(struct vt_command *command) {
  return command->terminal ? ioctl(command->stdin_fd, TIOCSCTTY, 0) : 0;
}

static int join_cgroup(struct vt_command *command) {
  return command->cgroup_door < 0 ? 0 : vt_cgroup_join(command->cgroup_door);
}

static int change_directory(struct vt_command *command) { return chdir(command->cwd); }

/* umask(2) reads only by setting. The child has its own copy (no CLONE_FS). */
static int tell_umask(struct vt_command *command) {
  command->umask = umask(0);
  umask(command->umask);
  return 0;
}

static int stop_core_dumps(struct vt_command *command) {
  (void)command;
  return vt_core_dumps_stop();
}

/* Raised priority (limits.conf(5)) would let a fork bomb outrun the sweep. System calls: musl lacks these functions. */
static int stay_ordinary(struct vt_command *command) {
  (void)command;
  struct rlimit none = {0, 0};
  struct sched_param param = {0};
  long policy = syscall(SYS_sched_getscheduler, 0);
  if ((policy == SCHED_FIFO || policy == SCHED_RR) && syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &param)) return -1;
  return setrlimit(RLIMIT_RTPRIO, &none) || setrlimit(RLIMIT_NICE, &none) ? -1 : 0;
}

static int lower(int resource, uint64_t wanted) {
  struct rlimit limit;
  if (getrlimit(resource, &limit)) return -1;
  if (limit.rlim_max > wanted) limit.rlim_max = wanted;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit);
}

/* Per process: a second and a mebibyte above the command's limits, so that the monitors act first. Before the filter, which
 * notifies setrlimit(RLIMIT_FSIZE): no notifier listens during the launch. */
static int limit_resources(struct vt_command *command) {
  const struct vt_limits *limits = &command->limits;
  uint64_t most = vt_fsize_most(command);
  if (limits->cpu_seconds && lower(RLIMIT_CPU, limits->cpu_seconds + 1)) return -1;
  return most ? lower(RLIMIT_FSIZE, most) : 0;
}

/* After the last step that opens a descriptor. */
static int limit_descriptors(struct vt_command *command) {
  uint64_t most = command->limits.open_files;
  return most ? lower(RLIMIT_NOFILE, most) : 0;
}

static int drop_capabilities(struct vt_command *command) {
  (void)command;
  return vt_capabilities_drop();
}

/* The notifier acts with the effective ids: a command must not go on without them, which it can where the others differ. System
 * calls: libc's functions change every thread of the host. */
static int one_identity(struct vt_command *command) {
  (void)command;
  uid_t users[3];
  gid_t groups[3];
  if (syscall(SYS_getresuid, &users[0], &users[1], &users[2]) || syscall(SYS_getresgid, &groups[0], &groups[1], &groups[2])) return -1;
  bool user = users[0] == users[1] && users[1] == users[2], group = groups[0] == groups[1] && groups[1] == groups[2];
  if (!group && syscall(SYS_setresgid, groups[1], groups[1], groups[1])) return -1;
  return user ? 0 : (int)syscall(SYS_setresuid, users[1], users[1], users[1]);
}

static int no_new_privs(struct vt_command *command) {
  (void)command;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Fires when the launcher thread ends, which is when the host does: it may have died before the prctl. */
static int die_with_parent(struct vt_command *command) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return -1;
  if (syscall(SYS_getppid) == command->host) return 0;
  errno = ESRCH;
  return -1;
}

static int restrict_files(struct vt_command *command) {
  const struct vt_confinement *confinement = command->confinement;
  if (vt_landlock_restrict(confinement->ruleset)) return -1;
  return confinement->reading < 0 ? 0 : vt_landlock_restrict(confinement->reading);
}

static int filter_calls(struct vt_command *command) {
  struct sock_filter *filter = command->room->filter;
  const struct vt_confinement *confinement = command->confinement;
  struct sock_fprog program = {confinement->program.len, filter};
  memcpy(filter, confinement->filter, confinement->program.len * sizeof *filter);
  vt_bpf_settle(filter, confinement->program.len, (uint32_t)syscall(SYS_getpid));
  long fd = syscall(SYS_seccomp, SET_MODE_FILTER, confinement->listener ? confinement->listener_flags : 0, &program);
  if (fd < 0) return -1;
  if (confinement->listener) command->listener_fd = (int)fd;
  return 0;
}

static int own_descriptors(struct vt_command *command) {
  if (!command->confinement) return vt_close_at_exec(3);
  return (int)syscall(NR_CLOSE_RANGE, 3, ~0u, RANGE_CLOEXEC | RANGE_UNSHARE);
}

static int place(int fd, int target) {
  if (fd == target) return fcntl(fd, F_SETFD, 0);
  return dup2(fd, target) == target ? 0 : -1;
}

static int standard_streams(struct vt_command *command) {
  if (place(command->stdin_fd, 0)) return -1;
  if (place(command->write_ends[VT_STDOUT], 1)) return -1;
  return place(command->write_ends[command->merged ? VT_STDOUT : VT_STDERR], 2);
}

/* After the standard streams, whose descriptors it may have the number of. */
static int state_file(struct vt_command *command) {
  return !command->state_fd ? 0 : place(command->state_fd, VT_STATE_FD);
}

static int unblock_signals(struct vt_command *command) {
  (void)command;
  sigset_t none;
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Like execvp(3): tries the next candidate if this one is missing; EACCES wins over ENOENT when all fail. */
static int execute(struct vt_command *command) {
  int denied = 0;
  for (char **program = command->candidates; *program; program++) {
    execve(*program, command->argv, command->envp);
    if (errno == EACCES) denied = 1;
    else if (errno != ENOENT && errno != ENOTDIR) return -1;
  }
  if (denied) errno = EACCES;
  return -1;
}

static const struct step steps[] = {
    {"clone", ANY, have_pidfd},
    {"signals", ANY, reset_signals},
    {"resource limits", CONFINED, take_mark},
    {"setsid", ANY, new_session},
    {"cgroup", ANY, join_cgroup},
    {"terminal", ANY, take_terminal},
    {"chdir", ANY, change_directory},
    {"chdir", CONFINED, tell_umask},
    {"core dumps", CONFINED, stop_core_dumps},
    {"resource limits", CONFINED, stay_ordinary},
    {"resource limits", ANY, limit_resources},
    {"capabilities", CONFINED, one_identity},
    {"capabilities", CONFINED, drop_capabilities},
    {"no_new_privs", CONFINED, no_new_privs},
    {"parent death signal", ANY, die_with_parent},
    {"landlock_restrict_self", CONFINED, restrict_files},
    {"seccomp", CONFINED, filter_calls},
    {"close_range", ANY, own_descriptors},
    {"standard streams", ANY, standard_streams},
    {"state", ANY, state_file},
    {"resource limits", ANY, limit_descriptors},
    {"signals", ANY, unblock_signals},
    {"exec", ANY, execute},
};

int vt_child(void *context) {
  struct vt_command *command = context;
  for (const struct step *step = steps; step < steps + sizeof steps / sizeof *steps; step++) {
    if ((step->command == CONFINED && !command->confinement) || step->run(command) == 0) continue;
    command->failed_errno = errno;
    command->failed_step = step->name;
    break;
  }
  _exit(127);
}
