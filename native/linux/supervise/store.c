#define _GNU_SOURCE
#include "supervise/store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/command.h"
#include "base/threads.h"

/* A new pipe's size and the largest that a user may ask for (pipe(7)). */
enum { PIPE_BYTES = 64 * 1024, LARGE_PIPE_BYTES = 1024 * 1024 };

enum { CHUNK_BYTES = 256 * 1024, STOP = VT_STREAMS };

struct vt_store {
  struct vt_stored *stored;
  uint32_t id;
  int file;
  size_t keep;
  uint64_t until;
  struct pollfd polled[VT_STREAMS + 1]; /* the pipes, -1 where ended, and an eventfd that stops the thread */
  int64_t last_byte;                    /* atomic, as is `busy` */
  bool busy;
  char bytes[CHUNK_BYTES];
};

struct vt_store *vt_store_open(int file, size_t keep, uint64_t until) {
  int stop = eventfd(0, EFD_CLOEXEC), copy = fcntl(file, F_DUPFD_CLOEXEC, 3);
  if (stop < 0 || copy < 0) {
    if (stop >= 0) close(stop);
    if (copy >= 0) close(copy);
    return NULL;
  }
  struct vt_store *store = vt_must(malloc(sizeof *store));
  *store = (struct vt_store){.stored = vt_must(calloc(1, sizeof *store->stored)), .file = copy, .keep = keep, .until = until};
  for (int kind = 0; kind < VT_KEPT; kind++) {
    struct vt_kept *kept = &store->stored->kept[kind];
    kept->head = vt_must(malloc(3 * keep));
    kept->tail = kept->head + keep;
  }
  store->polled[STOP] = (struct pollfd){.fd = stop, .events = POLLIN};
  return store;
}

/* The tail has room for twice as much, so that small pieces do not move it each time. */
static void keep(struct vt_kept *kept, size_t most, const char *bytes, size_t length) {
  size_t room = most - kept->head_length, first = length < room ? length : room;
  kept->bytes += length;
  memcpy(kept->head + kept->head_length, bytes, first);
  kept->head_length += first;
  size_t last = length - first < most ? length - first : most;
  if (kept->tail_length + last > 2 * most) {
    size_t left = most - last;
    memmove(kept->tail, kept->tail + kept->tail_length - left, left);
    kept->tail_length = left;
  }
  memcpy(kept->tail + kept->tail_length, bytes + length - last, last);
  kept->tail_length += last;
}

/* Returns how much was written: all, but for an error. */
static size_t write_all(struct vt_store *store, size_t length) {
  size_t at = 0;
  while (at < length) {
    ssize_t written = write(store->file, store->bytes + at, length - at);
    if (written > 0) at += (size_t)written;
    else if (written == 0 || errno != EINTR) {
      store->stored->failed_errno = written == 0 ? EIO : errno;
      break;
    }
  }
  return at;
}

static void keep_rest(struct vt_store *store, int stream, const char *bytes, size_t length) {
  struct vt_stored *stored = store->stored;
  stored->rest_stream = stream;
  stored->rest_length = length;
  stored->rest = memcpy(vt_must(malloc(length)), bytes, length);
}

/* False: the thread has to end. */
static bool move(struct vt_store *store, int stream) {
  ssize_t length = read(store->polled[stream].fd, store->bytes, sizeof store->bytes);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (length <= 0) {
    store->polled[stream].fd = -1;
    return true;
  }
  /* It was full: a larger one saves wake-ups. EPERM: the user's pipes are too large already. */
  if (length == PIPE_BYTES) fcntl(store->polled[stream].fd, F_SETPIPE_SZ, LARGE_PIPE_BYTES);
  __atomic_store_n(&store->last_byte, vt_now(), __ATOMIC_RELEASE);
  size_t written = write_all(store, (size_t)length);
  keep(&store->stored->kept[stream], store->keep, store->bytes, written);
  keep(&store->stored->kept[VT_KEPT_BOTH], store->keep, store->bytes, written);
  if (written < (size_t)length) {
    keep_rest(store, stream, store->bytes + written, (size_t)length - written);
    return false;
  }
  return store->until == 0 || store->stored->kept[VT_KEPT_BOTH].bytes < store->until;
}

static bool move_ready(struct vt_store *store) {
  __atomic_store_n(&store->busy, true, __ATOMIC_RELEASE);
  bool goes_on = true;
  for (int stream = 0; stream < VT_STREAMS && goes_on; stream++)
    if (store->polled[stream].fd >= 0 && store->polled[stream].revents) goes_on = move(store, stream);
  __atomic_store_n(&store->busy, false, __ATOMIC_RELEASE);
  return goes_on && (store->polled[VT_STDOUT].fd >= 0 || store->polled[VT_STDERR].fd >= 0);
}

static void *run(void *context) {
  struct vt_store *store = context;
  do poll(store->polled, VT_STREAMS + 1, -1);
  while (!store->polled[STOP].revents && move_ready(store));
  /* It can wait for the disk, and report an error of its own (close(2)). */
  __atomic_store_n(&store->busy, true, __ATOMIC_RELEASE);
  if (close(store->file) && !store->stored->failed_errno) store->stored->failed_errno = errno;
  store->file = -1;
  vt_mailbox_post((struct vt_message){.kind = VT_MESSAGE_STORED, .id = store->id}, true); /* the store is the supervisor's now */
  return NULL;
}

bool vt_store_start(struct vt_store *store, const struct vt_command *command) {
  store->id = command->id;
  store->last_byte = command->last_byte;
  for (int stream = 0; stream < VT_STREAMS; stream++)
    store->polled[stream] = (struct pollfd){.fd = command->pipes[stream] ? command->pipes[stream]->fd : -1, .events = POLLIN};
  return vt_thread_try("vitrine-store", run, store) == 0;
}

void vt_store_stop(const struct vt_store *store) { eventfd_write(store->polled[STOP].fd, 1); }

bool vt_store_is_busy(const struct vt_store *store) { return __atomic_load_n(&store->busy, __ATOMIC_ACQUIRE); }

int64_t vt_store_last_byte(const struct vt_store *store) { return __atomic_load_n(&store->last_byte, __ATOMIC_ACQUIRE); }

/* Beginnings and ends are at most `keep` long from here on. */
struct vt_stored *vt_store_close(struct vt_store *store) {
  struct vt_stored *stored = store->stored;
  for (int kind = 0; kind < VT_KEPT; kind++) {
    struct vt_kept *kept = &stored->kept[kind];
    size_t more = kept->tail_length > store->keep ? kept->tail_length - store->keep : 0;
    kept->tail += more;
    kept->tail_length -= more;
  }
  if (store->file >= 0) close(store->file);
  close(store->polled[STOP].fd);
  free(store);
  return stored;
}

void vt_core_free_stored(struct vt_stored *stored) {
  for (int kind = 0; kind < VT_KEPT; kind++) free(stored->kept[kind].head);
  free(stored->rest);
  free(stored);
}
