#define _GNU_SOURCE
#include "notify/world/world.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/shm.h>

#include "base/basics.h"
#include "notify/dispatch.h"

static pthread_mutex_t worlds_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_world *worlds;

static struct vt_world *find(uint32_t number) {
  struct vt_world *world = worlds;
  while (world && world->number != number) world = world->next;
  return world;
}

static struct vt_world *make(uint32_t number) {
  struct vt_world *world = vt_must(calloc(1, sizeof *world));
  world->number = number;
  pthread_mutex_init(&world->lock, NULL);
  world->next = worlds;
  return worlds = world;
}

struct vt_world *vt_world_enter(uint32_t number) {
  pthread_mutex_lock(&worlds_lock);
  struct vt_world *world = find(number);
  if (!world) world = make(number);
  world->references++;
  pthread_mutex_unlock(&worlds_lock);
  return world;
}

static void discard_segment(struct vt_segment *segment) {
  shmdt(segment->at);
  free(segment);
}

static void discard_segments(struct vt_world *world) {
  for (struct vt_segment *segment; (segment = world->segments);) {
    world->segments = segment->next;
    discard_segment(segment);
  }
}

static void discard(struct vt_world *world) {
  struct vt_world **at = &worlds;
  while (*at != world) at = &(*at)->next;
  *at = world->next;
  discard_segments(world);
  pthread_mutex_destroy(&world->lock);
  free(world->listening.all);
  free(world->noted);
  free(world);
}

void vt_world_leave(struct vt_world *world) {
  pthread_mutex_lock(&worlds_lock);
  if (--world->references == 0) discard(world);
  pthread_mutex_unlock(&worlds_lock);
}

/* System V shared memory (sysvipc(7)) of a command's own: identifiers and keys are in registers, so what is decided about them holds. The
 * notifier makes each segment without a key, attaches it to this process and marks it for removal: it goes with the last process. */

static struct vt_segment *find_segment(const struct vt_world *world, int id) {
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
static int make_segment(struct vt_world *world, int key, size_t size, int mode, int *id) {
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

static int get_segment(struct vt_world *world, int key, size_t size, int flags, int *id) {
  const struct vt_segment *segment = find_key(world, key);
  if (!segment && key != IPC_PRIVATE && !(flags & IPC_CREAT)) return ENOENT;
  if (!segment) return make_segment(world, key, size, flags, id);
  if ((flags & IPC_CREAT) && (flags & IPC_EXCL)) return EEXIST;
  *id = segment->id;
  return size > segment->size ? EINVAL : 0;
}

static void forget_segment(struct vt_world *world, const struct vt_segment *segment) {
  struct vt_segment **at = &world->segments;
  while (*at != segment) at = &(*at)->next;
  *at = segment->next;
}

static int control_segment(struct vt_world *world, int id, int command) {
  struct vt_segment *segment = find_segment(world, id);
  if (!segment) return EINVAL;
  if (command == IPC_STAT) return 0; /* goes on */
  if (command != IPC_RMID) return EPERM;
  forget_segment(world, segment);
  discard_segment(segment);
  return 0;
}

static int decide_segment(struct vt_notification *notification, struct vt_world *world) {
  int first = (int)vt_argument(notification, 0), id = 0, error;
  switch (notification->call->call) {
    case VT_SYS_shmget:
      error = get_segment(world, first, vt_argument(notification, 1), (int)vt_argument(notification, 2), &id);
      notification->done = !error;
      notification->value = id;
      return error;
    case VT_SYS_shmctl:
      error = control_segment(world, first, (int)vt_argument(notification, 1));
      notification->done = !error && (int)vt_argument(notification, 1) == IPC_RMID;
      return error;
    default: return find_segment(world, first) ? 0 : EINVAL; /* shmat(2) goes on */
  }
}

void vt_handle_segment(struct vt_notification *notification) {
  struct vt_world *world = notification->listener->world;
  pthread_mutex_lock(&world->lock);
  notification->error = decide_segment(notification, world);
  notification->counted = notification->error == ENOSPC; /* write mode has another limit */
  pthread_mutex_unlock(&world->lock);
}
