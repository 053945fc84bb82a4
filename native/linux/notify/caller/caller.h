/* The process whose call waits. It may be gone or unreadable at any time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "notify/denials.h"

struct vt_caller {
  pid_t thread;
  pid_t process; /* its thread group, once looked up */
  char program[VT_PROGRAM_BYTES];
};

/* The caller identified last, with /proc/PID/comm open, and the one whose descriptor was borrowed last, with its pidfd: each saves a tenth
 * of a call. Using either fails with ESRCH once the thread is gone, even if its number is reused (fs/proc/base.c, kernel/pid.c). */
struct vt_known_caller {
  pid_t thread, process; /* 0: none */
  int comm;
  pid_t opened; /* 0: none */
  int pidfd;
};

/* Fills in process and program; if unknown, the thread's id and "". Never blocks. */
void vt_caller_identify(struct vt_caller *caller, struct vt_known_caller *known);

/* The thread group's id. */
pid_t vt_caller_process(const struct vt_caller *caller);

void vt_caller_forget(struct vt_known_caller *known);

/* Returns the bytes read, fewer at the end of the mapping, or -1 with errno (EPERM: ptrace(2)). */
ssize_t vt_caller_read(const struct vt_caller *caller, uint64_t address, void *to, size_t size);

/* To memory of the process alone. Returns as vt_caller_read. */
ssize_t vt_caller_write(const struct vt_caller *caller, uint64_t address, const void *from, size_t size);

/* At most size - 1 bytes. Returns 0 or an errno, ENAMETOOLONG if longer. */
int vt_caller_string(const struct vt_caller *caller, uint64_t address, char *to, size_t size);

/* Reads /proc/PID/LINK; its length, or -1 with errno. */
ssize_t vt_caller_link(const struct vt_caller *caller, const char *link, char *to, size_t size);

/* False if the process made itself undumpable (PR_SET_DUMPABLE, prctl(2)): root owns its /proc files (proc(5)). Always true
 * for a host that runs as root. */
bool vt_caller_is_dumpable(const struct vt_caller *caller);
