/* Who listens at an address: the command's own world, another process, or none. */
#pragma once

#include <stdbool.h>

#include "notify/sockets/address.h"

struct vt_world;

enum vt_listens { VT_LISTENS_NONE, VT_LISTENS_OWN, VT_LISTENS_FOREIGN };

/* Opens the netlink socket that answers; -1 with errno: this kernel cannot tell (CONFIG_INET_DIAG). */
int vt_listening_open(void);

/* One question to the kernel, by the lookup that a connection over the device would get: address, port, device, SO_REUSEPORT. */
enum vt_listens vt_who_listens(int netlink, int device, struct vt_world *world, const union vt_address *plain);

/* Forgets closed sockets of a world once there are many. Under its lock. */
void vt_listening_prune(int netlink, struct vt_world *world);

/* Why not, as an errno; 0: it answers. Tried once. */
int vt_listening_probe(void);
