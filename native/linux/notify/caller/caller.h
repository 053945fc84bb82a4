/* The process whose call waits. It may be gone or unreadable at any time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "notify/listener.h"

struct vt_notification;

struct vt_caller {
  pid_t thread;
  pid_t process; /* its thread group, once looked up */
  char program[VT_PROGRAM_BYTES];
};

/* Fills in process and program; if unknown, the thread's id and "". Never blocks. */
void vt_caller_identify(struct vt_caller *caller);

/* The thread group's id. */
pid_t vt_caller_process(const struct vt_caller *caller);

/* Returns the bytes read, fewer at the end of the mapping, or -1 with errno (EPERM: ptrace(2)). */
ssize_t vt_caller_read(const struct vt_caller *caller, uint64_t address, void *to, size_t size);

/* To memory of the process alone. Returns as vt_caller_read. */
ssize_t vt_caller_write(const struct vt_caller *caller, uint64_t address, const void *from, size_t size);

/* At most size - 1 bytes. Returns 0 or an errno, ENAMETOOLONG if longer. */
int vt_caller_string(const struct vt_caller *caller, uint64_t address, char *to, size_t size);

/* What a descriptor, or AT_FDCWD, is open on, as /proc names it; the length, or -1 with errno. */
ssize_t vt_caller_path(const struct vt_caller *caller, int descriptor, char *to, size_t size);

/* Opens it anew, with O_CLOEXEC: our own descriptor, or -1 with errno. */
int vt_caller_open(const struct vt_caller *caller, int descriptor, int flags);

/* False if the process made itself undumpable (PR_SET_DUMPABLE, prctl(2)): root owns its /proc files (proc(5)). Always true
 * for a host that runs as root. */
bool vt_caller_is_dumpable(const struct vt_caller *caller);

/* Whether a call waits still, by the notification's id, also for a duplicate of the listener. */
bool vt_call_still_waits(int listener, uint64_t id);

/* Ends a call with an error, or with success (0). False: it waits no longer. */
bool vt_end_call(int listener, uint64_t id, int error);

/* Replies with a descriptor of ours, in one step (SECCOMP_ADDFD_FLAG_SEND, Linux 5.14); closes it. */
void vt_send_descriptor(int listener, uint64_t id, int fd, uint32_t flags);

/* A process of the command may have put itself in a narrower sandbox. The kernel would answer its calls by that sandbox, and the
 * notifier cannot: so it carries nothing out for such a caller that the sandbox may refuse.
 *
 * Whether the caller may have fewer rights than the command had at its start: a Landlock domain of its own, or no more the
 * capability to read everything. The answer is about the caller if its call still waits afterwards. */
bool vt_has_own_sandbox(const struct vt_notification *notification);

/* Only the latter, for calls that Landlock does not decide: metadata, locks. */
bool vt_lacks_capability(const struct vt_notification *notification);

/* Before a call is carried out: whether this thread may, and the caller still waits. Sets the caller's umask. */
bool vt_may_act(const struct vt_notification *notification);

/* Calls of the workspace by which a command could come to read more, where not everything may be read: opening for reading, and giving a
 * file another place. They are made in a thread with the command's own ruleset for reading, so that Landlock answers as it answers the
 * command: EACCES, EXDEV. */
/* As openat(2), for a descriptor that goes to the command. */
int vt_as_reader_open(const struct vt_notification *notification, int directory, const char *name, int flags, mode_t mode);

/* `call`: SYS_linkat or SYS_renameat2, which have the same arguments. */
int vt_as_reader_move(const struct vt_notification *notification, long call, int from, const char *old, int to, const char *new, uint32_t flags);

/* Our own descriptor for a caller's open file description (pidfd_getfd(2)). It is certain to be the caller's only if the call still waits
 * afterwards. */
int vt_borrow_descriptor(const struct vt_caller *caller, int number);

/* The caller's, for certain. -1: not permitted (ptrace(2)), there is none, the caller is gone, or this thread has no table of its own. */
int vt_borrow_proven(const struct vt_notification *notification, int number);
