/* Confinements that serve several commands: shared ones at the same time, those with a private directory one after another. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine/confinement.h"
#include "confine/landlock.h"
#include "core.h"
#include "base/command.h"
#include "workspace/workspace.h"

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_confinement *cache; /* most recently used first */

enum { MOST_CACHED = 16 };

static bool has_any(const char *const *paths) { return paths && *paths; }

/* Whether the key names a place: those of a workspace, without the private directories, which differ by command. */
static bool counts(const struct vt_place *places, const struct vt_place *place) {
  if (place->kind == VT_ROOT) return !vt_workspace_is_private(places, place->text);
  return place->kind == VT_PROTECTED || place->kind == VT_CLOSED;
}

enum { NUMBER_ROOM = 24 };

/* Its length precedes a text, which may contain anything. By hand, as each command of a workspace makes a key of some forty texts. */
static char *add_text(char *at, char kind, const char *text) {
  *at++ = kind;
  for (size_t left = strlen(text); left; left /= 10) *at++ = (char)('0' + left % 10);
  *at++ = ' ';
  return stpcpy(at, text);
}

/* Equal exactly for equal options; leaves out `reads`, and which directories are writable. */
static char *key_of(const struct vt_confinement_options *options, int abi) {
  const char *near = options->near ? options->near : "";
  size_t room = 8 * NUMBER_ROOM + strlen(near);
  for (const char *const *path = options->sockets; path && *path; path++) room += NUMBER_ROOM + strlen(*path);
  for (const struct vt_place *place = options->places; place && place->kind; place++) room += NUMBER_ROOM + strlen(place->text);
  char *key = malloc(room);
  if (!key) return NULL;
  char *at = key + snprintf(key, room, "%d %d %d %d %d %d %d", abi, options->network, options->proxied, options->own_sockets,
                            options->listener, options->terminal, has_any(options->writable));
  at = add_text(at, 'n', near);
  for (const char *const *path = options->sockets; path && *path; path++) at = add_text(at, 's', *path);
  for (const struct vt_place *place = options->places; place && place->kind; place++)
    if (counts(options->places, place)) at = add_text(at, (char)('A' + place->kind), place->text);
  return key;
}

static struct vt_confinement *find_cached(const char *key, const struct vt_places *reads) {
  for (struct vt_confinement **at = &cache; *at; at = &(*at)->next) {
    struct vt_confinement *confinement = *at;
    if (confinement->reads != reads || strcmp(confinement->key, key)) continue;
    *at = confinement->next;
    if (vt_confinement_is_current(confinement)) {
      confinement->next = cache;
      cache = confinement;
      return confinement;
    }
    vt_confinement_release(confinement);
    return NULL;
  }
  return NULL;
}

/* There is one per working directory: drops the least recently used. */
static void trim(void) {
  int kept = 0;
  for (struct vt_confinement **at = &cache; *at;) {
    struct vt_confinement *confinement = *at;
    if (++kept <= MOST_CACHED) {
      at = &confinement->next;
      continue;
    }
    *at = confinement->next;
    vt_confinement_release(confinement);
  }
}

static void put_first(struct vt_confinement *confinement) {
  confinement->next = cache;
  cache = confinement;
  trim();
}

static bool is_private(const struct vt_confinement_options *options) {
  return has_any(options->writable) && !options->writable[1] && !has_any(options->sockets) && !options->terminal;
}

/* Keeps the directory open, to recognize it and to see when it is removed. */
static void grant_first(struct vt_confinement *confinement) {
  confinement->granted = open(confinement->writable[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
  confinement->private = confinement->granted >= 0 && (!confinement->workspace || vt_workspace_lasts(confinement->workspace));
  confinement->uses = 1;
}

static struct vt_confinement *make(const struct vt_confinement_options *options, int abi, char *key, int *step) {
  struct vt_confinement *confinement = vt_confinement_make(options, abi, key, step);
  if (confinement && is_private(options)) grant_first(confinement);
  return confinement;
}

struct vt_confinement *vt_confinement_take(const struct vt_confinement_options *options, int *step) {
  int abi = options->abi > 0 ? options->abi : vt_landlock_abi();
  *step = VT_STEP_RULESET;
  char *key = key_of(options, abi);
  if (!key) return NULL;
  pthread_mutex_lock(&cache_lock);
  struct vt_confinement *confinement = has_any(options->writable) || options->workspace ? NULL : find_cached(key, options->reads);
  if (confinement) {
    free(key);
  } else if ((confinement = make(options, abi, key, step))) {
    /* Not shared: a private directory or terminal belongs to one command, and a path may name another socket next time. */
    if (has_any(options->writable) || options->workspace || has_any(options->sockets) || options->terminal) confinement->references = 0;
    else put_first(confinement);
  } else {
    free(key);
  }
  if (confinement) vt_confinement_retain(confinement);
  pthread_mutex_unlock(&cache_lock);
  return confinement;
}

/* Confinements with a private directory whose command has ended. Building one takes as long as starting a command, so the next
 * command with the same options gets it, with its own directory granted as well. Only once the old directory is removed, or if
 * both commands have the same one: rules belong to inodes (landlock(7)), and that of a removed directory grants nothing.
 * Bounds, because the rule of a removed directory keeps its inode in memory and on disk. */
enum { MOST_SPARES = 8, MOST_USES = 32 };

static pthread_mutex_t spares_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_confinement *spares; /* most recently used first */

/* A removed directory has no links left, not even its own ".", wherever it was. */
static bool is_gone(struct vt_confinement *confinement) {
  struct stat status;
  if (confinement->granted < 0) return true;
  if (fstat(confinement->granted, &status) || status.st_nlink > 0) return false;
  close(confinement->granted);
  confinement->granted = -1;
  return true;
}

static bool is_granted(const struct vt_confinement *confinement, const struct stat *directory) {
  struct stat status;
  return confinement->granted >= 0 && fstat(confinement->granted, &status) == 0 && status.st_dev == directory->st_dev &&
         status.st_ino == directory->st_ino;
}

static struct vt_confinement **find_spare(const char *key, const struct vt_places *reads, const struct stat *directory) {
  struct vt_confinement **at = &spares;
  while (*at && ((*at)->reads != reads || strcmp((*at)->key, key) || !(is_granted(*at, directory) || is_gone(*at))))
    at = &(*at)->next;
  return at;
}

static struct vt_confinement *take_spare(const char *key, const struct vt_places *reads, const char *directory) {
  struct stat status;
  if (stat(directory, &status)) return NULL;
  pthread_mutex_lock(&spares_lock);
  struct vt_confinement **at = find_spare(key, reads, &status), *found = *at;
  if (found) *at = found->next;
  pthread_mutex_unlock(&spares_lock);
  return found;
}

static struct vt_confinement *cut_last(void) {
  struct vt_confinement **at = &spares;
  for (int kept = 0; *at && kept < MOST_SPARES; kept++) at = &(*at)->next;
  struct vt_confinement *last = *at; /* at most one: they are added one by one */
  *at = NULL;
  return last;
}

static bool keep_spare(struct vt_confinement *confinement) {
  if (!confinement->private || confinement->uses >= MOST_USES) return false;
  if (confinement->workspace) vt_workspace_rest(confinement->workspace);
  pthread_mutex_lock(&spares_lock);
  is_gone(confinement);
  confinement->next = spares;
  spares = confinement;
  struct vt_confinement *last = cut_last();
  pthread_mutex_unlock(&spares_lock);
  if (last) vt_confinement_free(last);
  return true;
}

void vt_confinement_prune(void) {
  pthread_mutex_lock(&spares_lock);
  for (struct vt_confinement *confinement = spares; confinement; confinement = confinement->next) is_gone(confinement);
  pthread_mutex_unlock(&spares_lock);
}

struct vt_confinement *vt_confinement_reuse(const struct vt_confinement_options *options) {
  int abi = options->abi > 0 ? options->abi : vt_landlock_abi();
  char *key = is_private(options) ? key_of(options, abi) : NULL;
  if (!key) return NULL;
  struct vt_confinement *confinement = take_spare(key, options->reads, options->writable[0]);
  free(key);
  if (!confinement) return NULL;
  pthread_mutex_lock(&cache_lock); /* for the shared reads ruleset */
  bool serves = vt_confinement_serve_next(confinement, options);
  pthread_mutex_unlock(&cache_lock);
  confinement->references = serves;
  if (serves) return confinement;
  vt_confinement_free(confinement);
  return NULL;
}

void vt_confinement_retain(struct vt_confinement *confinement) { __atomic_add_fetch(&confinement->references, 1, __ATOMIC_RELAXED); }

void vt_confinement_release(struct vt_confinement *confinement) {
  if (__atomic_sub_fetch(&confinement->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  if (!keep_spare(confinement)) vt_confinement_free(confinement);
}
