/* Who listens at an address: the command's own world, another process, or none. */
#pragma once

#include <linux/netlink.h>
#include <stdbool.h>
#include <sys/types.h>

#include "notify/sockets/address.h"

struct vt_world;

enum vt_listens { VT_LISTENS_NONE, VT_LISTENS_OWN, VT_LISTENS_FOREIGN };

/* Opens the netlink socket that answers; -1 with errno: this kernel cannot tell (CONFIG_INET_DIAG). */
int vt_listening_open(void);

/* One question to the kernel, by the lookup that a connection over the device would get: address, port, device, SO_REUSEPORT. */
enum vt_listens vt_who_listens(int netlink, int device, struct vt_world *world, const union vt_address *plain);

/* Forgets closed sockets of a world once there are many. Under its lock. */
void vt_listening_prune(int netlink, struct vt_world *world);

union vt_diag_reply {
  struct nlmsghdr header;
  char bytes[16384];
};

/* Numbers the question and waits for its answer; skips what is left of an earlier one. The length, -1: there is no whole message. */
ssize_t vt_diag_ask(int netlink, struct nlmsghdr *question, union vt_diag_reply *reply);
/* What a message of this type carries, at least `size` bytes; NULL: another type, or less. */
const void *vt_diag_body(const struct nlmsghdr *message, unsigned type, size_t size);
/* Visits each message of a dump. False: it has failed. */
bool vt_diag_dump(int netlink, struct nlmsghdr *question, void (*visit)(const struct nlmsghdr *message, void *context), void *context);

/* Why not, as an errno; 0: it answers. Tried once. */
int vt_listening_probe(void);
