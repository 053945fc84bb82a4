/* Whose process a unix socket leads to (unix(7), SO_PEERCRED): the kernel takes the one that calls listen(2) or connect(2), which is ours. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct vt_world;

/* Before a socket is connected: by which process, and to whose. */
void vt_unix_note_peer(int netlink, struct vt_world *world, int fd, pid_t client, pid_t listener);

/* The process behind the socket's peer; 0: not known. */
pid_t vt_unix_peer_process(int netlink, struct vt_world *world, int fd);
