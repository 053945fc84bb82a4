#define _GNU_SOURCE
#include "confine/confine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basics.h"
#include "confine/landlock.h"
#include "confine/places/places.h"
#include "supervise/supervise.h"
#include "workspace/workspace.h"

/* Confinements that serve several commands, most recently used first: shared ones at the same time, those with a private directory
 * one after another, and only while no command has them. Building one takes as long as starting a command. MOST_USES, because the
 * rule of a removed directory keeps its inode in memory and on disk. */
enum { MOST_POOLED = 16, MOST_USES = 32 };

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_confinement *pool;

/* One thread at a time makes rules, which can take long: the ruleset for reading is shared. */
static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;

static bool has_any(const char *const *paths) { return paths && *paths; }

/* Not where something is one command's: a terminal, or of a workspace the private directory. */
static bool is_poolable(const struct vt_confinement_options *options) {
  if (options->terminal) return false;
  return has_any(options->writable) ? !options->writable[1] : !options->has_roots;
}

/* Whether the key names a place: those of a workspace, without the private directories, which differ by command. */
static bool counts(const struct vt_place *places, const struct vt_place *place) {
  if (place->kind == VT_ROOT) return !vt_workspace_is_private(places, place->text);
  return place->kind >= VT_PROTECTED;
}

/* Equal exactly for equal options; leaves out `reads`, and which directory is writable. */
static char *key_of(const struct vt_confinement_options *options) {
  const char *near = options->near ? options->near : "";
  char *start;
  int length = asprintf(&start, "%d %d %d %d %d %d %zu %s", options->abi, options->network, options->proxied, options->own_sockets,
                        options->listener, has_any(options->writable), strlen(near), near);
  vt_must(length < 0 ? NULL : start);
  char *key = vt_places_key(start, options->places, counts);
  free(start);
  return key;
}

/* A removed directory has no links left, not even its own ".", wherever it was. */
static bool is_gone(struct vt_confinement *confinement) {
  struct stat status;
  if (confinement->granted < 0) return true;
  if (fstat(confinement->granted, &status) || status.st_nlink > 0) return false;
  close(confinement->granted);
  confinement->granted = -1;
  return true;
}

static bool is_granted(const struct vt_confinement *confinement, const char *directory) {
  struct stat status, wanted;
  return confinement->granted >= 0 && fstat(confinement->granted, &status) == 0 && stat(directory, &wanted) == 0 &&
         status.st_dev == wanted.st_dev && status.st_ino == wanted.st_ino;
}

/* One with a private directory fits once its directory is removed, or if the next command has the same: rules belong to inodes
 * (landlock(7)), and that of a removed directory grants nothing. */
static bool fits(struct vt_confinement *confinement, const struct vt_confinement_options *options, const char *key) {
  if (confinement->reads != options->reads || strcmp(confinement->key, key)) return false;
  return !confinement->private || is_granted(confinement, options->writable[0]) || is_gone(confinement);
}

/* With the pool's reference. */
static struct vt_confinement *cut_out(const struct vt_confinement_options *options, const char *key) {
  pthread_mutex_lock(&pool_lock);
  struct vt_confinement **at = &pool;
  while (*at && !fits(*at, options, key)) at = &(*at)->next;
  struct vt_confinement *found = *at;
  if (found) *at = found->next;
  pthread_mutex_unlock(&pool_lock);
  return found;
}

static void drop(struct vt_confinement *confinement) {
  confinement->private = false;
  vt_confinement_release(confinement);
}

/* The reference becomes the pool's. */
static void put_first(struct vt_confinement *confinement) {
  pthread_mutex_lock(&pool_lock);
  confinement->next = pool;
  pool = confinement;
  struct vt_confinement **at = &pool;
  for (int kept = 0; *at && kept < MOST_POOLED; kept++) at = &(*at)->next;
  struct vt_confinement *last = *at; /* at most one: they are added one by one */
  *at = NULL;
  pthread_mutex_unlock(&pool_lock);
  if (last) drop(last);
}

static void share(struct vt_confinement *confinement) {
  vt_confinement_retain(confinement);
  put_first(confinement);
}

static struct vt_confinement *reuse(const struct vt_confinement_options *options, const char *key) {
  struct vt_confinement *found = cut_out(options, key);
  if (!found) return NULL;
  if (!vt_confinement_serves(found, options)) {
    drop(found);
    return NULL;
  }
  if (!found->private) share(found);
  return found;
}

static struct vt_confinement *build(const struct vt_confinement_options *options, char *key, const char **step) {
  struct vt_confinement *confinement = vt_confinement_make(options, step);
  if (!confinement || !key) return confinement;
  confinement->key = key;
  if (has_any(options->writable)) vt_confinement_lend(confinement);
  else share(confinement);
  return confinement;
}

/* The workspace without the lock: the search for other names of protected files can take long. */
static struct vt_confinement *make(struct vt_confinement_options *options, char *key, const char **step) {
  *step = "workspace";
  if (options->has_roots && !(options->workspace = vt_workspace_open(options->places, options->reads))) return NULL;
  pthread_mutex_lock(&building);
  struct vt_confinement *confinement = build(options, key, step);
  pthread_mutex_unlock(&building);
  int error = errno;
  if (options->workspace) vt_workspace_release(options->workspace);
  errno = error;
  return confinement;
}

struct vt_confinement *vt_confinement_take(struct vt_confinement_options *options, const char **step) {
  if (options->abi <= 0) options->abi = vt_landlock_abi();
  char *key = is_poolable(options) ? key_of(options) : NULL;
  pthread_mutex_lock(&building);
  struct vt_confinement *found = key ? reuse(options, key) : NULL;
  pthread_mutex_unlock(&building);
  struct vt_confinement *confinement = found ? found : make(options, key, step);
  int error = errno;
  if (found || !confinement) free(key);
  errno = error;
  return confinement;
}

void vt_confinement_retain(struct vt_confinement *confinement) { __atomic_add_fetch(&confinement->references, 1, __ATOMIC_RELAXED); }

void vt_confinement_release(struct vt_confinement *confinement) {
  if (__atomic_sub_fetch(&confinement->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  if (!confinement->private || confinement->uses >= MOST_USES) return vt_confinement_free(confinement);
  if (confinement->workspace) vt_workspace_rest(confinement->workspace);
  is_gone(confinement);
  confinement->references = 1;
  put_first(confinement);
}

void vt_confinement_prune(void) {
  pthread_mutex_lock(&pool_lock);
  for (struct vt_confinement *confinement = pool; confinement; confinement = confinement->next) is_gone(confinement);
  pthread_mutex_unlock(&pool_lock);
}

const char **vt_places_of(const struct vt_place *places, enum vt_place_kind kind) {
  size_t count = 0;
  while (places[count].kind) count++;
  const char **paths = vt_must(calloc(count + 1, sizeof *paths)), **at = paths;
  for (; places->kind; places++)
    if (places->kind == kind) *at++ = places->text;
  return paths;
}

int vt_confine(struct vt_command *command, const char **step) {
  struct vt_places *reads = vt_places_take(command->places);
  command->writable = vt_places_of(command->places, VT_WRITABLE);
  struct vt_confinement_options options = {
      .abi = command->abi,
      .network = command->network,
      .proxied = command->proxy.port != 0,
      .own_sockets = command->world != 0,
      .listener = command->with_listener,
      .near = command->cwd,
      .reads = reads,
      .writable = command->writable,
      .places = command->places,
      .has_roots = vt_places_have(command->places, VT_ROOT),
      .terminal = command->terminal ? command->terminal->slave : 0,
  };
  command->confinement = vt_confinement_take(&options, step);
  int error = errno;
  if (reads) vt_places_release(reads);
  errno = error;
  return command->confinement ? 0 : -1;
}
