/* A shell's own world: what its commands share. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* TCP sockets that listen, by the number that the kernel gives each socket once (SO_COOKIE, socket(7)). */
struct vt_cookies {
  uint64_t *all;
  size_t count, room;
};

/* A unix socket that a command has bound, made listen or connected. */
struct vt_noted {
  uint32_t socket;        /* inode of the socket itself */
  uint64_t cookie;
  uint64_t device, inode; /* of its path (of the inode, perhaps the lower half); inode 0: it has an abstract name, or none */
  pid_t client;           /* the process that has connected it; 0: none */
  pid_t listener;         /* the process that has it listen, or the one that it is connected to; 0: not known */
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
  pthread_mutex_t lock; /* for all below; held from listen(2) until its socket is noted, and while a client looks */
  struct vt_cookies listening;
  size_t pruned_at;     /* how many were left by the last pruning */
  struct vt_noted *noted;
  size_t noted_count, noted_room;
  struct vt_segment *segments;
};

/* The world of this number, made with the first reference. */
struct vt_world *vt_world_enter(uint32_t number);
void vt_world_leave(struct vt_world *world);
