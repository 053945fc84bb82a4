/* A shell's own world: the listening sockets of its commands, by the number that the kernel gives each socket once (SO_COOKIE, socket(7)). */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A unix socket that a command has bound. */
struct vt_bound {
  uint64_t device, inode; /* of its path (of the inode, perhaps the lower half); inode 0: it has an abstract name, or none */
  uint32_t socket;        /* inode of the socket itself */
  uint64_t cookie;
  pid_t listener;         /* the process that has it listen; 0: none */
};

/* A unix socket that was connected, by which process and to whose (sockets/unix_peers.c). */
struct vt_peer {
  uint32_t socket;
  uint64_t cookie;
  pid_t client, listener;
};

/* Shared memory that a command has made. */
struct vt_segment {
  struct vt_segment *next;
  int key, id;
  size_t size;
  void *at; /* in this process */
};

struct vt_world {
  struct vt_world *next;
  uint32_t number;
  int references;       /* of listeners, under the lock of the list */
  pthread_mutex_t lock; /* for `cookies`; held from listen(2) until its socket is noted, and while a client looks */
  uint64_t *cookies;    /* open addressing; 0: free */
  size_t count, room, pruned_at;
  struct vt_bound *bound; /* unix sockets, under the lock, too */
  size_t bound_count, bound_room;
  struct vt_peer *peers; /* likewise */
  size_t peer_count, peer_room;
  struct vt_segment *segments; /* likewise */
};

/* The world of this number, made with the first reference. */
struct vt_world *vt_world_enter(uint32_t number);
void vt_world_leave(struct vt_world *world);

/* Under the lock. */
void vt_world_note(struct vt_world *world, uint64_t cookie);
bool vt_world_has(const struct vt_world *world, uint64_t cookie);

/* Under the lock: whether so many were noted since the last pruning that those of closed sockets should go. */
bool vt_world_is_crowded(const struct vt_world *world);
/* Keeps those that are among `listening`. */
void vt_world_prune(struct vt_world *world, const struct vt_world *listening);
