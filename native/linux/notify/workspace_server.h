/* A workspace command's own notifier, which also carries calls out: a thread with its own descriptor table (closing a file must not
 * drop the host's POSIX locks on it, F_SETLK(2const)), umask and capabilities. If its file system hangs, only its command waits. */
#pragma once

#include "notify/listener.h"

struct vt_notification;
struct vt_workspace_server;

/* Before the command's launch: its calls must not wait for a thread that cannot start. NULL with errno. */
struct vt_workspace_server *vt_workspace_server_reserve(void);

/* At the command's first call or before. Takes over a reference; answers until the listener hangs up. */
void vt_workspace_server_serve(struct vt_listener *listener);

/* The command needed none. */
void vt_workspace_server_return(struct vt_workspace_server *server);

/* Before a call is carried out: whether this is such a thread and the caller still waits. Sets the caller's umask. */
bool vt_workspace_server_may_act(const struct vt_notification *notification);

/* By the supervisor: frees servers that ended, with their references. */
void vt_workspace_server_reap(void);
