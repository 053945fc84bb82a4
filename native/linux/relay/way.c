#define _GNU_SOURCE /* splice(2), pipe2(2) */
#include "relay/way.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"

enum { PIECE = 1 << 20, PIPE_BYTES = 512 * 1024 };

int vt_way_open(struct vt_way *way, int from, int to) {
  *way = (struct vt_way){.from = from, .to = to};
  if (pipe2(way->pipe, O_CLOEXEC | O_NONBLOCK)) return -1;
  /* Fewer calls. The default is kept where a user has used up fs.pipe-user-pages-soft. */
  fcntl(way->pipe[1], F_SETPIPE_SZ, PIPE_BYTES);
  return 0;
}

void vt_way_close(struct vt_way *way) {
  vt_close(way->pipe[0]);
  vt_close(way->pipe[1]);
}

static int outcome_of_failure(void) { return errno == EAGAIN ? 0 : -1; }

/* Only into an empty pipe, so that EAGAIN means the socket. */
static int take(struct vt_way *way, uint64_t *room) {
  if (way->held || way->read_all || *room == 0) return 0;
  ssize_t taken = splice(way->from, NULL, way->pipe[1], NULL, *room < PIECE ? *room : PIECE, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (taken < 0) return outcome_of_failure();
  way->held = taken;
  *room -= taken;
  way->read_all = taken == 0;
  return 1;
}

static int give(struct vt_way *way) {
  if (way->held == 0) {
    /* Fails where the other end has gone, which reading from it shows. */
    if (way->read_all && !way->done) shutdown(way->to, SHUT_WR);
    way->done = way->read_all;
    return 0;
  }
  ssize_t given = splice(way->pipe[0], NULL, way->to, NULL, way->held, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (given <= 0) return given == 0 ? -1 : outcome_of_failure();
  way->held -= given;
  way->moved += given;
  return 1;
}

int vt_way_move(struct vt_way *way, uint64_t *room) {
  int taken = take(way, room);
  int given = taken < 0 ? -1 : give(way);
  return given < 0 ? -1 : taken || given;
}
