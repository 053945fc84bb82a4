#define _GNU_SOURCE
#include "notify/sockets/unix_peers.h"

#include <stdlib.h>

#include "base/basics.h"
#include "notify/sockets/unix_bound.h"
#include "notify/world/world.h"

enum { CROWD = 256 };

static void forget_closed(int netlink, struct vt_world *world) {
  size_t kept = 0;
  for (size_t i = 0; i < world->peer_count; i++)
    if (vt_unix_is_open(netlink, world->peers[i].socket, world->peers[i].cookie)) world->peers[kept++] = world->peers[i];
  world->peer_count = kept;
}

/* As unix_bound.c makes it. */
static void make_room(int netlink, struct vt_world *world) {
  if (world->peer_count < world->peer_room) return;
  forget_closed(netlink, world);
  if (world->peer_count * 2 < world->peer_room) return;
  world->peer_room = world->peer_room ? world->peer_room * 2 : CROWD;
  world->peers = vt_must(realloc(world->peers, world->peer_room * sizeof *world->peers));
}

static struct vt_peer *find(const struct vt_world *world, uint32_t socket, uint64_t cookie) {
  for (size_t i = 0; i < world->peer_count; i++)
    if (world->peers[i].socket == socket && world->peers[i].cookie == cookie) return &world->peers[i];
  return NULL;
}

void vt_unix_note_peer(int netlink, struct vt_world *world, int fd, pid_t client, pid_t listener) {
  struct vt_peer peer = {.client = client, .listener = listener};
  if (!vt_unix_identify(fd, &peer.socket, &peer.cookie)) return;
  pthread_mutex_lock(&world->lock);
  struct vt_peer *noted = find(world, peer.socket, peer.cookie);
  if (!noted) make_room(netlink, world), noted = &world->peers[world->peer_count++];
  *noted = peer;
  pthread_mutex_unlock(&world->lock);
}

/* A number may be another socket's by now. */
static pid_t client_of(int netlink, const struct vt_world *world, uint32_t socket) {
  for (size_t i = 0; socket && i < world->peer_count; i++)
    if (world->peers[i].socket == socket && vt_unix_is_open(netlink, socket, world->peers[i].cookie)) return world->peers[i].client;
  return 0;
}

static pid_t listener_of(const struct vt_world *world, uint32_t socket, uint64_t cookie) {
  for (size_t i = 0; i < world->bound_count; i++)
    if (world->bound[i].socket == socket && world->bound[i].cookie == cookie) return world->bound[i].listener;
  return 0;
}

pid_t vt_unix_peer_process(int netlink, struct vt_world *world, int fd) {
  uint32_t socket;
  uint64_t cookie;
  if (!vt_unix_identify(fd, &socket, &cookie)) return 0;
  pthread_mutex_lock(&world->lock);
  const struct vt_peer *client = find(world, socket, cookie);
  pid_t process = client ? client->listener : listener_of(world, socket, cookie);
  if (!process) process = client_of(netlink, world, vt_unix_peer_of(netlink, socket, cookie));
  pthread_mutex_unlock(&world->lock);
  return process;
}
