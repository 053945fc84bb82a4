/* Which unix sockets the commands of a world have bound: the kernel tells by the socket, not by the path (sock_diag(7)). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>

struct vt_world;

/* Notes a bound socket, unless it is noted. `status`: of the path that it has just been bound to; NULL: the kernel tells. `listener`: the
 * process that has it listen now; 0: it was only bound. */
void vt_unix_note(int netlink, struct vt_world *world, int fd, const struct stat *status, pid_t listener);

/* Whether the socket at a path is one of the world's, open and bound to it still. */
bool vt_unix_is_own(int netlink, struct vt_world *world, const struct stat *status, pid_t *listener);

/* The same for an abstract name: the bytes after the NUL. `exists`: whether any socket listens there. */
bool vt_unix_is_own_name(int netlink, struct vt_world *world, const char *name, size_t length, bool *exists, pid_t *listener);

/* Of an open socket, by its inode and SO_COOKIE. */
bool vt_unix_is_open(int netlink, uint32_t socket, uint64_t cookie);
/* The inode of its peer; 0: none, or it is closed. */
uint32_t vt_unix_peer_of(int netlink, uint32_t socket, uint64_t cookie);
/* False: it is no socket. */
bool vt_unix_identify(int fd, uint32_t *socket, uint64_t *cookie);
