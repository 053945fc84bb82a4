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
#include "confine/places/dir_snapshot.h"

enum { MOST_CACHED = 8 };

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_places *cache; /* most recently used first */

static bool counts(enum vt_place_kind kind) { return kind >= VT_READABLE && kind <= VT_SKIPPED; }

/* Equal exactly for equal places: a path may contain anything, so its length precedes it. NULL if none is about reading. */
static char *key_of(const struct vt_place *places) {
  size_t length = 1;
  for (const struct vt_place *place = places; place->kind; place++)
    if (counts(place->kind)) length += strlen(place->text) + 24;
  if (length == 1) return NULL;
  char *key = vt_must(malloc(length)), *at = key;
  for (const struct vt_place *place = places; place->kind; place++)
    if (counts(place->kind)) at += sprintf(at, "%d %zu %s", place->kind, strlen(place->text), place->text);
  return key;
}

static void mark_all(struct vt_places *reads, enum vt_place_kind kind, enum vt_places_mark mark) {
  for (const struct vt_place *place = reads->given; place->kind; place++)
    if (place->kind == kind) vt_places_mark(reads, place->text, mark);
}

static bool has_any(const struct vt_place *places, enum vt_place_kind kind) {
  for (; places->kind; places++)
    if (places->kind == kind) return true;
  return false;
}

/* In one block. */
static struct vt_place *copy_of(const struct vt_place *places) {
  size_t count = 0, bytes = 0;
  for (; places[count].kind; count++) bytes += strlen(places[count].text) + 1;
  struct vt_place *copy = vt_must(malloc((count + 1) * sizeof *copy + bytes));
  char *at = (char *)(copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    copy[i] = (struct vt_place){places[i].kind, strcpy(at, places[i].text)};
    at += strlen(at) + 1;
  }
  copy[count] = (struct vt_place){VT_NO_PLACE, NULL};
  return copy;
}

struct vt_places *vt_places_new(void) {
  struct vt_places *reads = vt_must(calloc(1, sizeof *reads));
  reads->references = 1;
  reads->notices = reads->ruleset = -1;
  vt_dir_snapshot_begin(&reads->watched);
  reads->root = vt_path_tree_root();
  return reads;
}

/* /dev has other users' terminals and disks: landlock.c grants the nodes that programs need. */
static struct vt_places *make(char *key, const struct vt_place *places, const struct vt_places *before) {
  struct vt_places *reads = vt_places_new();
  reads->key = key;
  reads->given = copy_of(places);
  if (has_any(places, VT_READABLE)) mark_all(reads, VT_READABLE, VT_MARK_GRANTED);
  else reads->root->granted = true;
  mark_all(reads, VT_UNLINKED, VT_MARK_UNLINKED);
  vt_places_mark(reads, "/dev", VT_MARK_KEPT);
  mark_all(reads, VT_UNREADABLE, VT_MARK_KEPT);
  vt_places_search(reads, before);
  vt_places_watch(reads);
  return reads;
}

static bool matters(const void *reads, const char *name) { return vt_places_keeps_name(reads, name); }

static bool is_current(const struct vt_places *reads) {
  if (!vt_dir_snapshot_unchanged(&reads->watched)) return false;
  return reads->notices < 0 || vt_inotify_unchanged(reads->notices, matters, reads);
}

static struct vt_places *cut(const char *key) {
  struct vt_places **at = &cache;
  while (*at && strcmp((*at)->key, key)) at = &(*at)->next;
  struct vt_places *reads = *at;
  if (reads) *at = reads->next;
  return reads;
}

static void put_first(struct vt_places *reads) {
  int kept = 0;
  reads->next = cache;
  cache = reads;
  for (struct vt_places **at = &cache; *at; at = &(*at)->next) {
    struct vt_places *last = *at;
    if (++kept <= MOST_CACHED) continue;
    *at = NULL;
    vt_places_release(last);
    return;
  }
}

struct vt_places *vt_places_take(const struct vt_place *places) {
  char *key = key_of(places);
  if (!key) return NULL;
  pthread_mutex_lock(&cache_lock);
  struct vt_places *before = cut(key);
  bool current = before && is_current(before);
  struct vt_places *reads = current ? before : make(key, places, before);
  if (current) free(key);
  else if (before) vt_places_release(before);
  put_first(reads);
  vt_places_retain(reads);
  pthread_mutex_unlock(&cache_lock);
  return reads;
}

void vt_places_retain(struct vt_places *reads) { __atomic_add_fetch(&reads->references, 1, __ATOMIC_RELAXED); }

void vt_places_release(struct vt_places *reads) {
  if (__atomic_sub_fetch(&reads->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  vt_path_tree_free(reads->root);
  vt_dir_snapshot_free(&reads->watched);
  vt_inode_set_free(&reads->kept);
  vt_inode_set_free(&reads->linked);
  if (reads->notices >= 0) close(reads->notices);
  if (reads->ruleset >= 0) close(reads->ruleset);
  for (size_t i = 0; i < reads->found_count; i++) free(reads->found[i]);
  free(reads->found);
  free(reads->given);
  free(reads->key);
  free(reads);
}

/* Landlock rules belong to files, not names: a readable file may be a hard link to a kept one. */
enum { MOST_LOOKED_AT = 20000, MOST_DEPTH = 40 };

struct look {
  struct vt_places *reads;
  int count;
};

static void look_into(struct look *look, int parent, const char *name, int depth);

static void look_at(struct look *look, int fd, const char *name, int depth) {
  struct stat status;
  if (++look->count > MOST_LOOKED_AT || fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW)) return;
  if (S_ISDIR(status.st_mode)) look_into(look, fd, name, depth + 1);
  else if (status.st_nlink > 1) vt_inode_set_add(&look->reads->linked, &status);
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
  for (const struct vt_path_node *node = look->reads->root; node; node = vt_path_node_next(node, node->kept))
    if (node->kept && vt_path_node_path(node, path, sizeof path) > 0 && strcmp(path, "/dev") != 0) look_into(look, AT_FDCWD, path, 0);
}

bool vt_places_is_linked(struct vt_places *reads, const struct stat *status) {
  if (S_ISDIR(status->st_mode) || status->st_nlink < 2) return false;
  if (!reads->linked_known) {
    struct look look = {reads, 0};
    look_into_kept(&look);
    reads->too_many_linked = look.count > MOST_LOOKED_AT;
    reads->linked_known = true;
  }
  return reads->too_many_linked || vt_inode_set_has(&reads->linked, status);
}
