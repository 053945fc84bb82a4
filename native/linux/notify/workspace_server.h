/* A workspace command has a notifier of its own, which also carries calls out: a thread with its own descriptor table, umask
 * and capabilities. Closing a file must not drop the host's POSIX locks on it (F_SETLK(2const)), what it makes has the caller's
 * umask, and it has no rights that its command has lost. If its file system hangs, only its command waits. */
#pragma once

#include "notify/listener.h"

struct vt_notification;
struct vt_workspace_server;

/* A thread for one command, before its launch: the command's calls must not wait for a thread that cannot start. NULL with errno. */
struct vt_workspace_server *vt_workspace_server_reserve(void);

/* At the command's first call or before: hands the listener and its reference to the server, which answers until the listener
 * hangs up. */
void vt_workspace_server_serve(struct vt_listener *listener);

/* The command needed none. */
void vt_workspace_server_return(struct vt_workspace_server *server);

/* Before a call is carried out: whether this is such a thread and the caller still waits. Sets the caller's umask. */
bool vt_workspace_server_may_act(const struct vt_notification *notification);
