/* System V shared memory (sysvipc(7)) of a command's own: identifiers and keys are in registers, so what is decided about them holds. The
 * notifier makes each segment without a key, attaches it to this process and marks it for removal: it goes with the last process. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/shm.h>

#include "base/basics.h"
#include "notify/dispatch.h"
#include "notify/world/own_world.h"
#include "notify/world/world.h"

static struct vt_segment *find(const struct vt_world *world, int id) {
  struct vt_segment *segment = world->segments;
  while (segment && segment->id != id) segment = segment->next;
  return segment;
}

static struct vt_segment *find_key(const struct vt_world *world, int key) {
  struct vt_segment *segment = world->segments;
  while (segment && (segment->key != key || segment->key == IPC_PRIVATE)) segment = segment->next;
  return segment;
}

/* Segments outlive the process that made them, and no limit of a command counts them. */
enum { MOST_SEGMENTS = 256, MOST_BYTES = 1 << 30 };

static bool has_room(const struct vt_world *world, size_t size) {
  size_t number = 0, bytes = 0;
  for (const struct vt_segment *segment = world->segments; segment; segment = segment->next) number++, bytes += segment->size;
  return number < MOST_SEGMENTS && size <= MOST_BYTES && bytes <= MOST_BYTES - size;
}

/* Marked for removal, a segment can still be attached while it is attached anywhere (shmctl(2), IPC_RMID). */
static int make(struct vt_world *world, int key, size_t size, int mode, int *id) {
  if (!has_room(world, size)) return ENOSPC;
  *id = shmget(IPC_PRIVATE, size, IPC_CREAT | (mode & 0777));
  if (*id < 0) return errno;
  void *at = shmat(*id, NULL, SHM_RDONLY);
  int error = at == (void *)-1 ? errno : 0;
  shmctl(*id, IPC_RMID, NULL);
  if (error) return error;
  struct vt_segment *segment = vt_must(calloc(1, sizeof *segment));
  *segment = (struct vt_segment){.next = world->segments, .key = key, .id = *id, .size = size, .at = at};
  world->segments = segment;
  return 0;
}

static int get(struct vt_world *world, int key, size_t size, int flags, int *id) {
  const struct vt_segment *segment = find_key(world, key);
  if (!segment && key != IPC_PRIVATE && !(flags & IPC_CREAT)) return ENOENT;
  if (!segment) return make(world, key, size, flags, id);
  if ((flags & IPC_CREAT) && (flags & IPC_EXCL)) return EEXIST;
  *id = segment->id;
  return size > segment->size ? EINVAL : 0;
}

static void forget(struct vt_world *world, const struct vt_segment *segment) {
  struct vt_segment **at = &world->segments;
  while (*at != segment) at = &(*at)->next;
  *at = segment->next;
}

static void discard(struct vt_segment *segment) {
  shmdt(segment->at);
  free(segment);
}

void vt_world_discard_segments(struct vt_world *world) {
  for (struct vt_segment *segment; (segment = world->segments);) {
    world->segments = segment->next;
    discard(segment);
  }
}

static int control(struct vt_world *world, int id, int command) {
  struct vt_segment *segment = find(world, id);
  if (!segment) return EINVAL;
  if (command == IPC_STAT) return 0; /* goes on */
  if (command != IPC_RMID) return EPERM;
  forget(world, segment);
  discard(segment);
  return 0;
}

static int decide(struct vt_notification *notification, struct vt_world *world) {
  int first = (int)vt_argument(notification, 0), id = 0, error;
  switch (notification->call->call) {
    case VT_SYS_shmget:
      error = get(world, first, vt_argument(notification, 1), (int)vt_argument(notification, 2), &id);
      notification->done = !error;
      notification->value = id;
      return error;
    case VT_SYS_shmctl:
      error = control(world, first, (int)vt_argument(notification, 1));
      notification->done = !error && (int)vt_argument(notification, 1) == IPC_RMID;
      return error;
    default: return find(world, first) ? 0 : EINVAL; /* shmat(2) goes on */
  }
}

void vt_handle_segment(struct vt_notification *notification) {
  struct vt_world *world = notification->listener->world;
  pthread_mutex_lock(&world->lock);
  notification->error = decide(notification, world);
  notification->counted = notification->error == ENOSPC; /* write mode has another limit */
  pthread_mutex_unlock(&world->lock);
}
