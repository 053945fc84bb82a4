#define _GNU_SOURCE
#include "notify/handlers/fifo_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "notify/handlers/flock_wait.h"
#include "notify/notification.h"
#include "notify/reply.h"

/* Shortest and longest pause (milliseconds); most waiting calls of a command: each holds a descriptor. */
enum { FIRST_PAUSE_MS = 1, LAST_PAUSE_MS = 32, MOST = 64 };

struct vt_fifo_waiter {
  struct vt_fifo_waiter *next;
  uint64_t id; /* of the notification */
  pid_t thread;
  int fifo;    /* O_PATH */
  uint32_t flags;
  int64_t due, pause;
  bool signal_seen;
};

static size_t count(const struct vt_fifo_waiter *waiter) {
  size_t number = 0;
  for (; waiter; waiter = waiter->next) number++;
  return number;
}

bool vt_fifo_wait_add(struct vt_fifo_waiter **waiting, struct vt_notification *notification) {
  if (count(*waiting) >= MOST) return false;
  struct vt_fifo_waiter *waiter = vt_must(calloc(1, sizeof *waiter));
  *waiter = (struct vt_fifo_waiter){
      .next = *waiting,
      .id = notification->notif.id,
      .thread = notification->caller.thread,
      .fifo = notification->fifo,
      .flags = notification->send_flags,
      .due = vt_now(),
      .pause = FIRST_PAUSE_MS,
  };
  notification->fifo = -1;
  *waiting = waiter;
  return true;
}

/* ENXIO: there is no reader yet (open(2), O_NONBLOCK). */
static int open_fifo(const struct vt_fifo_waiter *waiter) {
  char path[40];
  snprintf(path, sizeof path, "/proc/thread-self/fd/%d", waiter->fifo);
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0) return fd;
  close(fd);
  return -1;
}

/* True if this waiter is done. */
static bool try(struct vt_fifo_waiter *waiter, int listener) {
  if (!vt_call_still_waits(listener, waiter->id)) return true;
  int error = vt_wait_interruption(waiter->thread, &waiter->signal_seen);
  if (error) return vt_end_call(listener, waiter->id, error), true;
  int fd = open_fifo(waiter);
  if (fd >= 0) return vt_send_descriptor(listener, waiter->id, fd, waiter->flags), true;
  if (errno != ENXIO) return vt_end_call(listener, waiter->id, errno), true;
  waiter->due = vt_now() + waiter->pause;
  if (waiter->pause < LAST_PAUSE_MS) waiter->pause *= 2;
  return false;
}

static void end(struct vt_fifo_waiter **at) {
  struct vt_fifo_waiter *waiter = *at;
  *at = waiter->next;
  close(waiter->fifo);
  free(waiter);
}

int vt_fifo_wait_try(struct vt_fifo_waiter **waiting, int listener) {
  int64_t now = vt_now(), next = INT64_MAX;
  for (struct vt_fifo_waiter **at = waiting; *at;) {
    if ((*at)->due <= now && try(*at, listener)) {
      end(at);
      continue;
    }
    if ((*at)->due < next) next = (*at)->due;
    at = &(*at)->next;
  }
  return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}

void vt_fifo_wait_drop(struct vt_fifo_waiter **waiting) {
  while (*waiting) end(waiting);
}
