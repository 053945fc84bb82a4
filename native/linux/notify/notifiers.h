/* The notifiers: threads that answer the calls of one command each, and carry nothing out but what needs no more than a descriptor
 * table of their own. One waits for the first call of any command; commands of a workspace or with sockets it gives to their server
 * (below). */
#pragma once

#include "notify/listener.h"

struct vt_workspace_server;

/* Like vt_supervisor_ready(), for commands with a listener. */
int vt_notifier_ready(void);

/* From the command's first call on it is answered, until the listener hangs up. False: not even a thread can be had. Supervisor
 * thread, as is the next. */
bool vt_notifier_add(struct vt_listener *listener);

/* The command has ended. */
void vt_notifier_remove(struct vt_listener *listener);

/* A workspace command's own notifier, which also carries calls out: a thread with its own descriptor table (closing a file must not
 * drop the host's POSIX locks on it, F_SETLK(2const)), umask and capabilities (workspace_server.c).
 *
 * Before the command's launch: its calls must not wait for a thread that cannot start. NULL with errno. */
struct vt_workspace_server *vt_workspace_server_reserve(void);

/* At the command's first call or before. Takes over a reference; answers until the listener hangs up. */
void vt_workspace_server_serve(struct vt_listener *listener);

/* The command needed none. */
void vt_workspace_server_return(struct vt_workspace_server *server);

/* By the supervisor: frees servers that ended, with their references. */
void vt_workspace_server_reap(void);
