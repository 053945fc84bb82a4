#define _GNU_SOURCE
#include "notify/notification.h"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sys/ioctl.h>

#include "notify/dispatch.h"
#include "notify/sockets/sockets.h"
#include "confine/filter/seccomp.h"
#include "confine/filter/seccomp_constants.h"

#define NONE VT_NO_ARGUMENT
#define PATH(path) .subject = VT_PATH, .directory = NONE, .argument = (path)
#define PATH_AT(dir, path) .subject = VT_PATH, .directory = (dir), .argument = (path)
#define TWO(old, new) \
  .subject = VT_TWO_PATHS, .directory = NONE, .argument = (old), .second_directory = NONE, .second = (new)
#define TWO_AT(old_dir, old, new_dir, new) \
  .subject = VT_TWO_PATHS, .directory = (old_dir), .argument = (old), .second_directory = (new_dir), .second = (new)
#define FD(fd) .subject = VT_DESCRIPTOR, .argument = (fd)
#define ADDRESS(pointer) .subject = VT_ADDRESS, .argument = (pointer) /* the next argument is its length */
#define OWN_ADDRESS(fd) .subject = VT_OWN_ADDRESS, .argument = (fd)
#define FAMILY .subject = VT_FAMILY
#define OPTION .subject = VT_OPTION
#define PROCESS(pid) .subject = VT_PROCESS, .argument = (pid)
#define JUDGED(by) .judge = (by)
#define ACTS(how) .act = (how)
#define FLAGS(index) .flags = (index)
#define LINK_ITSELF .nofollow = true
#define ROW(name, what, ...) {.call = VT_SYS_##name, .operation = VT_OP_##what, __VA_ARGS__}
#define PLAIN(name, what) {.call = VT_SYS_##name, .operation = VT_OP_##what}

static const struct vt_call calls[] = {
    /* files */
    ROW(open, WRITE, PATH(0), JUDGED(vt_handle_open)),
    ROW(openat, WRITE, PATH_AT(0, 1), JUDGED(vt_handle_open)),
    ROW(creat, WRITE, PATH(0), JUDGED(vt_handle_open)),
    ROW(truncate, TRUNCATE, PATH(0), JUDGED(vt_handle_truncate)),
    ROW(unlink, DELETE, PATH(0), JUDGED(vt_handle_remove), LINK_ITSELF),
    ROW(unlinkat, DELETE, PATH_AT(0, 1), JUDGED(vt_handle_remove), LINK_ITSELF),
    ROW(rmdir, DELETE, PATH(0), JUDGED(vt_handle_remove), LINK_ITSELF),
    ROW(mkdir, CREATE, PATH(0), JUDGED(vt_handle_create), LINK_ITSELF),
    ROW(mkdirat, CREATE, PATH_AT(0, 1), JUDGED(vt_handle_create), LINK_ITSELF),
    ROW(mknod, CREATE, PATH(0), JUDGED(vt_handle_create), LINK_ITSELF),
    ROW(mknodat, CREATE, PATH_AT(0, 1), JUDGED(vt_handle_create), LINK_ITSELF),
    ROW(symlink, LINK, PATH(1), JUDGED(vt_handle_create), LINK_ITSELF),
    ROW(symlinkat, LINK, PATH_AT(1, 2), JUDGED(vt_handle_create), LINK_ITSELF),
    ROW(link, LINK, TWO(0, 1), JUDGED(vt_handle_link), LINK_ITSELF),
    ROW(linkat, LINK, TWO_AT(0, 1, 2, 3), JUDGED(vt_handle_link), LINK_ITSELF),
    ROW(rename, RENAME, TWO(0, 1), JUDGED(vt_handle_rename), LINK_ITSELF),
    ROW(renameat, RENAME, TWO_AT(0, 1, 2, 3), JUDGED(vt_handle_rename), LINK_ITSELF),
    ROW(renameat2, RENAME, TWO_AT(0, 1, 2, 3), JUDGED(vt_handle_rename), LINK_ITSELF),
    ROW(ioctl, METADATA, FD(0), JUDGED(vt_handle_terminal_peer), ACTS(vt_private_op_clone_data)),
    ROW(fcntl, LOCK, FD(0)),
    ROW(flock, LOCK, FD(0), ACTS(vt_private_op_lock)),

    /* metadata */
    ROW(chmod, METADATA, PATH(0), ACTS(vt_private_op_chmod)),
    ROW(fchmod, METADATA, FD(0), ACTS(vt_private_op_chmod)),
    ROW(fchmodat, METADATA, PATH_AT(0, 1), ACTS(vt_private_op_chmod)),
    ROW(fchmodat2, METADATA, PATH_AT(0, 1), FLAGS(3), ACTS(vt_private_op_chmod)),
    ROW(chown, METADATA, PATH(0), ACTS(vt_private_op_chown)),
    ROW(fchown, METADATA, FD(0), ACTS(vt_private_op_chown)),
    ROW(lchown, METADATA, PATH(0), LINK_ITSELF, ACTS(vt_private_op_chown)),
    ROW(fchownat, METADATA, PATH_AT(0, 1), FLAGS(4), ACTS(vt_private_op_chown)),
    ROW(utime, METADATA, PATH(0), ACTS(vt_private_op_times)),
    ROW(utimes, METADATA, PATH(0), ACTS(vt_private_op_times)),
    ROW(futimesat, METADATA, PATH_AT(0, 1), ACTS(vt_private_op_times)),
    ROW(utimensat, METADATA, PATH_AT(0, 1), FLAGS(3), ACTS(vt_private_op_times)),
    ROW(setxattr, METADATA, PATH(0), ACTS(vt_private_op_set_attribute)),
    ROW(lsetxattr, METADATA, PATH(0), LINK_ITSELF, ACTS(vt_private_op_set_attribute)),
    ROW(fsetxattr, METADATA, FD(0), ACTS(vt_private_op_set_attribute)),
    ROW(setxattrat, METADATA, PATH_AT(0, 1), FLAGS(2)),
    ROW(removexattr, METADATA, PATH(0), ACTS(vt_private_op_remove_attribute)),
    ROW(lremovexattr, METADATA, PATH(0), LINK_ITSELF, ACTS(vt_private_op_remove_attribute)),
    ROW(fremovexattr, METADATA, FD(0), ACTS(vt_private_op_remove_attribute)),
    ROW(removexattrat, METADATA, PATH_AT(0, 1), FLAGS(2)),
    ROW(file_setattr, METADATA, PATH_AT(0, 1), FLAGS(4)),

    /* sockets */
    ROW(socket, SOCKET, FAMILY, JUDGED(vt_handle_socket)),
    ROW(socketpair, SOCKET, FAMILY),
    ROW(connect, CONNECT, ADDRESS(1), JUDGED(vt_handle_connect)),
    ROW(bind, LISTEN, ADDRESS(1), JUDGED(vt_handle_bind)),
    ROW(setsockopt, SOCKET, OPTION, JUDGED(vt_handle_reuse)),
    ROW(listen, LISTEN, OWN_ADDRESS(0), JUDGED(vt_handle_listen)),
    ROW(getsockopt, SOCKET, OPTION, JUDGED(vt_handle_asked)),
    ROW(sendto, SOCKET, JUDGED(vt_handle_send)),
    ROW(sendmmsg, SOCKET, JUDGED(vt_handle_send)),
    ROW(accept, LISTEN, OWN_ADDRESS(0)),
    ROW(accept4, LISTEN, OWN_ADDRESS(0)),

    /* signals and other processes */
    ROW(kill, SIGNAL, PROCESS(0), JUDGED(vt_handle_signal)),
    ROW(tkill, SIGNAL, PROCESS(0), JUDGED(vt_handle_signal)),
    ROW(tgkill, SIGNAL, PROCESS(0), JUDGED(vt_handle_signal)),
    ROW(rt_sigqueueinfo, SIGNAL, PROCESS(0), JUDGED(vt_handle_signal)),
    ROW(rt_tgsigqueueinfo, SIGNAL, PROCESS(0), JUDGED(vt_handle_signal)),
    ROW(pidfd_send_signal, SIGNAL, JUDGED(vt_handle_signal)),
    ROW(ptrace, PROCESS, PROCESS(1)),
    ROW(process_vm_readv, PROCESS, PROCESS(0)),
    ROW(process_vm_writev, PROCESS, PROCESS(0)),
    PLAIN(pidfd_getfd, PROCESS),
    ROW(kcmp, PROCESS, PROCESS(1)),
    PLAIN(process_madvise, PROCESS), PLAIN(process_mrelease, PROCESS),
    ROW(migrate_pages, PROCESS, PROCESS(0)),
    ROW(move_pages, PROCESS, PROCESS(0)),
    ROW(prlimit64, PROCESS, PROCESS(0), JUDGED(vt_handle_file_limit)),
    ROW(umask, OTHER, JUDGED(vt_handle_umask)),
    ROW(setrlimit, PROCESS, JUDGED(vt_handle_file_limit)),
    ROW(landlock_restrict_self, SYSTEM, JUDGED(vt_handle_own_domain)),
    ROW(capset, SYSTEM, JUDGED(vt_handle_capabilities)),
    ROW(seccomp, SYSTEM, JUDGED(vt_handle_own_filter)),
    ROW(prctl, SYSTEM, JUDGED(vt_handle_own_filter)),
    ROW(setpriority, PROCESS, PROCESS(1), JUDGED(vt_handle_scheduling)),
    ROW(ioprio_set, PROCESS, PROCESS(1), JUDGED(vt_handle_scheduling)),
    ROW(sched_setparam, PROCESS, PROCESS(0), JUDGED(vt_handle_scheduling)),
    ROW(sched_setscheduler, PROCESS, PROCESS(0), JUDGED(vt_handle_scheduling)),
    ROW(sched_setattr, PROCESS, PROCESS(0), JUDGED(vt_handle_scheduling)),
    ROW(sched_setaffinity, PROCESS, PROCESS(0), JUDGED(vt_handle_scheduling)),

    /* IPC, keys */
    ROW(shmget, IPC, JUDGED(vt_handle_segment)),
    ROW(shmat, IPC, JUDGED(vt_handle_segment)),
    ROW(shmctl, IPC, JUDGED(vt_handle_segment)),
    PLAIN(shmdt, IPC), PLAIN(semget, IPC), PLAIN(semop, IPC), PLAIN(semctl, IPC), PLAIN(semtimedop, IPC),
    PLAIN(msgget, IPC), PLAIN(msgsnd, IPC), PLAIN(msgrcv, IPC), PLAIN(msgctl, IPC), PLAIN(mq_open, IPC),
    PLAIN(mq_unlink, IPC), PLAIN(mq_timedsend, IPC), PLAIN(mq_timedreceive, IPC), PLAIN(mq_notify, IPC),
    PLAIN(add_key, KEY), PLAIN(request_key, KEY), PLAIN(keyctl, KEY),

    /* namespaces, mounts and the system; calls without a row count as VT_OP_SYSTEM */
    PLAIN(clone, NAMESPACE), PLAIN(unshare, NAMESPACE), PLAIN(setns, NAMESPACE),
    ROW(mount, MOUNT, PATH(1)),
    ROW(umount2, MOUNT, PATH(0)),
    ROW(pivot_root, MOUNT, PATH(0)),
    ROW(chroot, MOUNT, PATH(0)),
    ROW(fchroot, MOUNT, FD(0)),
    ROW(open_tree, MOUNT, PATH_AT(0, 1)),
    ROW(open_tree_attr, MOUNT, PATH_AT(0, 1)),
    ROW(move_mount, MOUNT, PATH_AT(2, 3)),
    PLAIN(fsopen, MOUNT), PLAIN(fsconfig, MOUNT), PLAIN(fsmount, MOUNT),
    ROW(fspick, MOUNT, PATH_AT(0, 1)),
    ROW(mount_setattr, MOUNT, PATH_AT(0, 1)),
    ROW(swapon, SYSTEM, PATH(0)),
    ROW(swapoff, SYSTEM, PATH(0)),
    ROW(acct, SYSTEM, PATH(0)),
};

enum { ROWS = sizeof calls / sizeof *calls };

/* The row of each system call number of this architecture. */
static const struct vt_call *by_number[VT_LAST_REVIEWED_SYSCALL + 1];
static struct vt_call others[VT_SYSCALL_COUNT + 1];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void index_calls(void) {
  uint32_t arch = vt_filter_native_arch();
  for (int call = 0; call <= VT_SYSCALL_COUNT; call++)
    others[call] = (struct vt_call){.call = (enum vt_syscall)call, .operation = VT_OP_SYSTEM};
  for (int number = 0; number <= VT_LAST_REVIEWED_SYSCALL; number++)
    by_number[number] = &others[vt_syscall_by_number(number, arch)];
  for (int row = 0; row < ROWS; row++) {
    int number = vt_syscall_number(calls[row].call, arch);
    if (number != VT_NO_SYSCALL) by_number[number] = &calls[row];
  }
}

const struct vt_call *vt_call_of(int number) {
  pthread_once(&once, index_calls);
  return number >= 0 && number <= VT_LAST_REVIEWED_SYSCALL ? by_number[number] : &others[VT_SYSCALL_COUNT];
}

bool vt_call_follows(const struct vt_call *call, const struct seccomp_data *data) {
  return !call->nofollow && !(call->flags && (data->args[call->flags] & AT_SYMLINK_NOFOLLOW));
}

static enum vt_operation ioctl_operation(uint32_t command) {
  switch (command) {
    case FICLONE:
    case FICLONERANGE:
    case FIDEDUPERANGE: return VT_OP_WRITE;
    case BTRFS_IOC_SNAP_CREATE:
    case BTRFS_IOC_SNAP_CREATE_V2:
    case BTRFS_IOC_SUBVOL_CREATE:
    case BTRFS_IOC_SUBVOL_CREATE_V2: return VT_OP_CREATE;
    case BTRFS_IOC_SNAP_DESTROY:
    case BTRFS_IOC_SNAP_DESTROY_V2: return VT_OP_DELETE;
    case TIOCSTI:
    case TIOCLINUX:
    case TIOCCONS: return VT_OP_DEVICE;
    case FIFREEZE:
    case FITHAW:
    case FITRIM:
    case SIOCSIFFLAGS:
    case SIOCSIFADDR: return VT_OP_SYSTEM;
    default: return VT_OP_METADATA;
  }
}

static enum vt_operation fcntl_operation(uint32_t command) {
  switch (command) {
    case F_SETOWN:
    case F_SETOWN_EX:
    case F_SETSIG: return VT_OP_SIGNAL;
    case F_SET_RW_HINT:
    case F_SET_FILE_RW_HINT: return VT_OP_METADATA;
    default: return VT_OP_LOCK;
  }
}

/* Access mode 3 permits only ioctl(2); O_EXCL and O_TMPFILE create; opening read-only can only truncate (open(2)). */
static enum vt_operation open_operation(uint32_t flags) {
  if ((flags & VT_O_ACCMODE) == VT_O_ACCMODE) return VT_OP_DEVICE;
  if ((flags & VT_O_CREAT && flags & O_EXCL) || (flags & O_TMPFILE) == O_TMPFILE) return VT_OP_CREATE;
  return (flags & VT_O_ACCMODE) == 0 && (flags & VT_O_TRUNC) ? VT_OP_TRUNCATE : VT_OP_WRITE;
}

static enum vt_operation clone_operation(uint32_t flags) {
  return flags & VT_CLONE_NAMESPACES ? VT_OP_NAMESPACE : VT_OP_PROCESS;
}

enum vt_operation vt_call_operation(const struct vt_call *call, const struct seccomp_data *data) {
  if (call->call == VT_SYS_open) return open_operation((uint32_t)data->args[1]);
  if (call->call == VT_SYS_openat) return open_operation((uint32_t)data->args[2]);
  if (call->call == VT_SYS_clone) return clone_operation((uint32_t)data->args[0]);
  if (call->call == VT_SYS_ioctl) return ioctl_operation((uint32_t)data->args[1]);
  if (call->call == VT_SYS_fcntl) return fcntl_operation((uint32_t)data->args[1]);
  return call->operation;
}

uint32_t vt_open_flags(const struct vt_notification *notification) {
  enum vt_syscall call = notification->call->call;
  if (call == VT_SYS_creat) return O_CREAT | O_WRONLY | O_TRUNC;
  return (uint32_t)vt_argument(notification, call == VT_SYS_open ? 1 : 2);
}

mode_t vt_mode(const struct vt_notification *notification) {
  enum vt_syscall call = notification->call->call;
  bool third = call == VT_SYS_open || call == VT_SYS_mkdirat || call == VT_SYS_mknodat;
  return (mode_t)vt_argument(notification, call == VT_SYS_openat ? 3 : third ? 2 : 1);
}

bool vt_makes_program(const struct vt_notification *notification) {
  return vt_opens(notification) && (vt_open_flags(notification) & O_CREAT) && (vt_mode(notification) & 0111);
}

bool vt_makes_name(const struct vt_notification *notification) {
  enum vt_operation operation = notification->call->operation;
  return operation == VT_OP_CREATE || operation == VT_OP_LINK || operation == VT_OP_RENAME || vt_makes_program(notification);
}
