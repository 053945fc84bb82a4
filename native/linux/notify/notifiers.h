/* The notifiers: threads that answer the calls of one command each, from its first call until no process of it is left. Calls of a
 * workspace, and of a world, they also carry out: with a descriptor table of their own (closing a file must not drop the host's POSIX
 * locks on it, F_SETLK(2const)), and umask and capabilities. */
#pragma once

#include <stdbool.h>

struct vt_listener;

/* Before the launch of a command with a listener: its calls must not wait for a thread that cannot start. `own`: a thread is kept for
 * it, as its calls are carried out; the others share one. 0, or -1 with errno. */
int vt_notifier_reserve(bool own);

/* The command that has its own needed none. */
void vt_notifier_return(void);

/* A first call waits. False: there is no thread, and none can start. */
bool vt_notifier_start(struct vt_listener *listener, bool own);
