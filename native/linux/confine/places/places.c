#define _GNU_SOURCE
#include "confine/places/places.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/basics.h"

enum { MOST_CACHED = 8 };

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_places *cache; /* most recently used first */

static bool is_about_reading(const struct vt_place *given, const struct vt_place *place) {
  (void)given;
  return place->kind >= VT_READABLE && place->kind <= VT_SKIPPED;
}

/* A text may contain anything, so its length precedes it. */
char *vt_places_key(const char *start, const struct vt_place *given, vt_places_count counts) {
  char *key;
  size_t length;
  FILE *to = vt_must(open_memstream(&key, &length));
  fputs(start, to);
  for (const struct vt_place *place = given; place && place->kind; place++)
    if (counts(given, place)) fprintf(to, " %d %zu %s", place->kind, strlen(place->text), place->text);
  fclose(to);
  return vt_must(key);
}

static void mark_all(struct vt_places *places, enum vt_place_kind kind, enum vt_places_mark mark) {
  for (const struct vt_place *place = places->given; place->kind; place++)
    if (place->kind == kind) vt_places_mark(places, place->text, mark);
}

bool vt_places_have(const struct vt_place *given, enum vt_place_kind kind) {
  for (; given->kind; given++)
    if (given->kind == kind) return true;
  return false;
}

/* In one block. */
static struct vt_place *copy_of(const struct vt_place *given) {
  size_t count = 0, bytes = 0;
  for (; given[count].kind; count++) bytes += strlen(given[count].text) + 1;
  struct vt_place *copy = vt_must(malloc((count + 1) * sizeof *copy + bytes));
  char *at = (char *)(copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    copy[i] = (struct vt_place){given[i].kind, strcpy(at, given[i].text)};
    at += strlen(at) + 1;
  }
  copy[count] = (struct vt_place){VT_NO_PLACE, NULL};
  return copy;
}

struct vt_places *vt_places_new(void) {
  struct vt_places *places = vt_must(calloc(1, sizeof *places));
  places->references = 1;
  places->notices = places->ruleset = -1;
  vt_dir_snapshot_begin(&places->watched);
  places->root = vt_path_tree_root();
  return places;
}

/* /dev has other users' terminals and disks: ruleset.c grants the nodes that programs need. */
static struct vt_places *make(char *key, const struct vt_place *given, const struct vt_places *before) {
  struct vt_places *places = vt_places_new();
  places->key = key;
  places->given = copy_of(given);
  if (vt_places_have(given, VT_READABLE)) mark_all(places, VT_READABLE, VT_MARK_GRANTED);
  else places->root->granted = true;
  mark_all(places, VT_UNLINKED, VT_MARK_UNLINKED);
  vt_places_mark(places, "/dev", VT_MARK_KEPT);
  mark_all(places, VT_UNREADABLE, VT_MARK_KEPT);
  vt_places_search(places, before);
  vt_places_watch(places);
  return places;
}

static bool matters(const void *places, const char *name) { return vt_places_keeps_name(places, name); }

static bool is_current(const struct vt_places *places) {
  if (!vt_dir_snapshot_unchanged(&places->watched)) return false;
  return places->notices < 0 || vt_inotify_unchanged(places->notices, matters, places);
}

static struct vt_places *cut(const char *key) {
  struct vt_places **at = &cache;
  while (*at && strcmp((*at)->key, key)) at = &(*at)->next;
  struct vt_places *places = *at;
  if (places) *at = places->next;
  return places;
}

static void put_first(struct vt_places *places) {
  int kept = 0;
  places->next = cache;
  cache = places;
  for (struct vt_places **at = &cache; *at; at = &(*at)->next) {
    struct vt_places *last = *at;
    if (++kept <= MOST_CACHED) continue;
    *at = NULL;
    vt_places_release(last);
    return;
  }
}

struct vt_places *vt_places_take(const struct vt_place *given) {
  char *key = vt_places_key("", given, is_about_reading);
  if (!*key) return free(key), NULL;
  pthread_mutex_lock(&cache_lock);
  struct vt_places *before = cut(key);
  bool current = before && is_current(before);
  struct vt_places *places = current ? before : make(key, given, before);
  if (current) free(key);
  else if (before) vt_places_release(before);
  put_first(places);
  vt_places_retain(places);
  pthread_mutex_unlock(&cache_lock);
  return places;
}

void vt_places_retain(struct vt_places *places) { __atomic_add_fetch(&places->references, 1, __ATOMIC_RELAXED); }

void vt_places_release(struct vt_places *places) {
  if (__atomic_sub_fetch(&places->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  vt_path_tree_free(places->root);
  vt_dir_snapshot_free(&places->watched);
  vt_inode_set_free(&places->kept);
  vt_inode_set_free(&places->linked);
  if (places->notices >= 0) close(places->notices);
  if (places->ruleset >= 0) close(places->ruleset);
  for (size_t i = 0; i < places->found_count; i++) free(places->found[i]);
  free(places->found);
  free(places->given);
  free(places->key);
  free(places);
}

/* Landlock rules belong to files, not names: a readable file may be a hard link to a kept one. */
enum { MOST_LOOKED_AT = 20000, MOST_DEPTH = 40 };

struct look {
  struct vt_places *places;
  int count;
};

static void look_into(struct look *look, int parent, const char *name, int depth);

static void look_at(struct look *look, int fd, const char *name, int depth) {
  struct stat status;
  if (++look->count > MOST_LOOKED_AT || fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW)) return;
  if (S_ISDIR(status.st_mode)) look_into(look, fd, name, depth + 1);
  else if (status.st_nlink > 1) vt_inode_set_add(&look->places->linked, &status);
}

static void look_into(struct look *look, int parent, const char *name, int depth) {
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *directory = vt_list(fd);
  bool out_of_room = !directory && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
  if (depth > MOST_DEPTH || out_of_room) look->count = MOST_LOOKED_AT + 1;
  if (!directory) return;
  for (struct dirent *entry; look->count <= MOST_LOOKED_AT && (entry = readdir(directory));)
    if (!vt_is_dots(entry->d_name)) look_at(look, fd, entry->d_name, depth);
  closedir(directory);
}

static void look_into_kept(struct look *look) {
  char path[PATH_MAX];
  for (const struct vt_path_node *node = look->places->root; node; node = vt_path_node_next(node, node->kept))
    if (node->kept && vt_path_node_path(node, path, sizeof path) > 0 && strcmp(path, "/dev") != 0) look_into(look, AT_FDCWD, path, 0);
}

bool vt_places_is_linked(struct vt_places *places, const struct stat *status) {
  if (S_ISDIR(status->st_mode) || status->st_nlink < 2) return false;
  if (!places->linked_known) {
    struct look look = {places, 0};
    look_into_kept(&look);
    places->too_many_linked = look.count > MOST_LOOKED_AT;
    places->linked_known = true;
  }
  return places->too_many_linked || vt_inode_set_has(&places->linked, status);
}
