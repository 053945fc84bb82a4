/* One direction of a relay: splice(2) from a socket to a pipe to a socket, so that no byte is copied to user space. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vt_way {
  int from, to; /* non-blocking sockets */
  int pipe[2];
  size_t held; /* bytes in the pipe */
  uint64_t moved;
  bool read_all, done;
};

/* 0, or -1 with errno. */
int vt_way_open(struct vt_way *way, int from, int to);
/* Closes the pipe. */
void vt_way_close(struct vt_way *way);

/* Moves what can be moved at once, and at most `room` bytes into the pipe, which it deducts. 1: there may be more, 0: not now,
 * -1: failed. The end of the bytes shuts `to` down for writing. */
int vt_way_move(struct vt_way *way, uint64_t *room);
