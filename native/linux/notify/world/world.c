#include "notify/world/world.h"

#include <stdlib.h>

#include "base/basics.h"

enum { FIRST_ROOM = 64, FIRST_CROWD = 1024 };

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
  world->pruned_at = FIRST_CROWD / 2;
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

static void discard(struct vt_world *world) {
  struct vt_world **at = &worlds;
  while (*at != world) at = &(*at)->next;
  *at = world->next;
  vt_world_discard_segments(world);
  pthread_mutex_destroy(&world->lock);
  free(world->cookies);
  free(world->bound);
  free(world->peers);
  free(world);
}

void vt_world_leave(struct vt_world *world) {
  pthread_mutex_lock(&worlds_lock);
  if (--world->references == 0) discard(world);
  pthread_mutex_unlock(&worlds_lock);
}

/* Where the cookie is, or would be. */
static size_t place_of(const struct vt_world *world, uint64_t cookie) {
  size_t at = (size_t)(cookie * 0x9e3779b97f4a7c15u >> 32) & (world->room - 1);
  while (world->cookies[at] && world->cookies[at] != cookie) at = (at + 1) & (world->room - 1);
  return at;
}

static void move_to(struct vt_world *world, size_t room) {
  uint64_t *before = world->cookies;
  size_t count = world->room;
  world->cookies = vt_must(calloc(room, sizeof *world->cookies));
  world->room = room;
  for (size_t i = 0; i < count; i++)
    if (before[i]) world->cookies[place_of(world, before[i])] = before[i];
  free(before);
}

void vt_world_note(struct vt_world *world, uint64_t cookie) {
  if ((world->count + 1) * 2 > world->room) move_to(world, world->room ? world->room * 2 : FIRST_ROOM);
  size_t at = place_of(world, cookie);
  world->count += !world->cookies[at];
  world->cookies[at] = cookie;
}

bool vt_world_has(const struct vt_world *world, uint64_t cookie) {
  return world->count && world->cookies[place_of(world, cookie)] == cookie;
}

bool vt_world_is_crowded(const struct vt_world *world) { return world->count >= world->pruned_at * 2; }

void vt_world_prune(struct vt_world *world, const struct vt_world *listening) {
  uint64_t *before = world->cookies;
  size_t room = world->room;
  world->cookies = NULL;
  world->room = world->count = 0;
  for (size_t i = 0; i < room; i++)
    if (before[i] && vt_world_has(listening, before[i])) vt_world_note(world, before[i]);
  free(before);
  world->pruned_at = world->count > FIRST_CROWD / 2 ? world->count : FIRST_CROWD / 2;
}
