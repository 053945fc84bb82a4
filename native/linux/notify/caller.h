/* The process whose call waits: who it is, and what stands in its memory. Everything here may be gone or forbidden. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "notify/denials.h"

struct vt_caller {
  pid_t thread;  /* as the notification names it */
  pid_t process; /* its thread group, once it was looked up */
  char program[VT_PROGRAM_BYTES];
};

enum { VT_KNOWN_CALLERS = 4 };

/* The last callers that somebody looked up. Opening /proc/PID/comm costs as much as the rest of a refused call. The
 * descriptor stands for the process itself: read once the process is gone it gives ESRCH, even where its number is somebody
 * else's by then (fs/proc/base.c). Not thread-local: that would tie the addon to one C library's loader. */
struct vt_known_callers {
  struct vt_known_caller {
    pid_t thread, process;
    int comm;
  } known[VT_KNOWN_CALLERS];
  int oldest;
};

/* Fills in process and program; what cannot be known is the thread itself, and "". Never blocks. */
void vt_caller_identify(struct vt_caller *caller, struct vt_known_callers *callers);

/* The process alone. */
pid_t vt_caller_process(const struct vt_caller *caller);

/* Lets go of the last callers. */
void vt_caller_forget(struct vt_known_callers *callers);

/* Reads memory; returns the bytes, fewer at the end of what is mapped, or -1 with errno (EPERM: ptrace(2), access mode checks). */
ssize_t vt_caller_read(const struct vt_caller *caller, uint64_t address, void *to, size_t size);

/* Reads a string of at most size - 1 bytes. Returns 0 or an errno; ENAMETOOLONG when it is longer. */
int vt_caller_string(const struct vt_caller *caller, uint64_t address, char *to, size_t size);

/* Where /proc/PID/LINK points. Returns the length or -1 with errno. */
ssize_t vt_caller_link(const struct vt_caller *caller, const char *link, char *to, size_t size);

/* Whether the process has made itself unreadable (PR_SET_DUMPABLE, prctl(2)): its files in /proc are root's then (proc(5)). */
bool vt_caller_is_dumpable(const struct vt_caller *caller);
