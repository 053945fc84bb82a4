/* Which unix sockets the commands of a world have bound: the kernel tells by the socket, not by the path (sock_diag(7)). */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/un.h>

struct vt_world;

/* Notes a bound socket, unless it is noted. `status`: of the path that it has just been bound to; NULL: the kernel tells. */
void vt_unix_note(int netlink, struct vt_world *world, int fd, const struct stat *status);

/* Whether the socket at a path is one of the world's, open and bound to it still. */
bool vt_unix_is_own(int netlink, struct vt_world *world, const struct stat *status);

/* The same for an abstract name: the bytes after the NUL. `exists`: whether any socket listens there. */
bool vt_unix_is_own_name(int netlink, struct vt_world *world, const char *name, size_t length, bool *exists);
