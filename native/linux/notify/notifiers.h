/* The notifiers: threads that answer the calls of one command each, and carry nothing out but what needs no more than a descriptor
 * table of their own. One waits for the first call of any command; commands of a workspace or with sockets it gives to their server
 * (workspace_server.h). */
#pragma once

#include "notify/listener.h"

/* Like vt_supervisor_ready(), for commands with a listener. */
int vt_notifier_ready(void);

/* From the command's first call on it is answered, until the listener hangs up. False: not even a thread can be had. Supervisor
 * thread, as is the next. */
bool vt_notifier_add(struct vt_listener *listener);

/* The command has ended. */
void vt_notifier_remove(struct vt_listener *listener);
