/* Whose socket it is: the world notes those of its commands, and the kernel tells by the lookup of a connection which one that leads to
 * (sock_diag(7)). The thread has a netlink socket for its questions. */
#pragma once

#include <linux/netlink.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "notify/sockets/sockets.h"

struct vt_world;

enum vt_listens { VT_LISTENS_NONE, VT_LISTENS_OWN, VT_LISTENS_FOREIGN };

/* Opens the netlink socket; -1 with errno: this kernel cannot tell (CONFIG_INET_DIAG). */
int vt_whose_open(void);

/* Why not, as an errno; 0: it answers. Tried once. */
int vt_whose_probe(void);

/* One question to the kernel, by the lookup that a connection over the device would get: address, port, device, SO_REUSEPORT. */
enum vt_listens vt_who_listens(const struct vt_sockets *sockets, struct vt_world *world, const union vt_address *plain);

/* Notes a TCP socket that listens, and forgets closed ones once there are many. Under the world's lock. */
void vt_note_listening(int netlink, struct vt_world *world, uint64_t cookie);

/* unix_sockets.c */

/* Notes a bound unix socket. `status`: of the path that it has just been bound to; NULL: the kernel tells. `listener`: the process that
 * has it listen now; 0: it was only bound. */
void vt_note_bound(int netlink, struct vt_world *world, int fd, const struct stat *status, pid_t listener);

/* Before a unix socket is connected: by which process, and to whose. */
void vt_note_client(int netlink, struct vt_world *world, int fd, pid_t client, pid_t listener);

/* Whether the unix socket at a path is one of the world's, open and bound to it still. */
bool vt_is_own_file(int netlink, struct vt_world *world, const struct stat *status, pid_t *listener);

/* The same for an abstract name: the bytes after the NUL. Does any socket listen there at all? */
enum vt_listens vt_who_listens_by_name(int netlink, struct vt_world *world, const char *name, size_t length, pid_t *listener);

/* The process behind a unix socket's peer; 0: not known. The kernel tells of the one that has called listen(2) or connect(2), which is
 * ours (unix(7), SO_PEERCRED). */
pid_t vt_peer_process(int netlink, struct vt_world *world, int fd);

/* sock_diag(7), by netlink(7). */

union vt_diag_reply {
  struct nlmsghdr header;
  char bytes[16384];
};

/* Numbers the question and waits for its answer; skips what is left of an earlier one. The length, -1: there is no whole message. */
ssize_t vt_diag_ask(int netlink, struct nlmsghdr *question, union vt_diag_reply *reply);

/* What a message of this type carries, at least `size` bytes; NULL: another type, or less. */
const void *vt_diag_body(const struct nlmsghdr *message, unsigned type, size_t size);

typedef void (*vt_diag_visit)(const struct nlmsghdr *message, void *context);

/* Visits each message of a dump. False: it has failed. */
bool vt_diag_dump(int netlink, struct nlmsghdr *question, vt_diag_visit each, void *context);
