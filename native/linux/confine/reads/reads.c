#include "confine/reads/reads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "confine/reads/inotify.h"

enum { MOST_CACHED = 8 };

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_reads *cache; /* most recently used first */

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

static void mark_all(struct vt_reads *reads, enum vt_place_kind kind, enum vt_reads_mark mark) {
  for (const struct vt_place *place = reads->places; place->kind; place++)
    if (place->kind == kind) vt_reads_mark(reads, place->text, mark);
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

struct vt_reads *vt_reads_new(void) {
  struct vt_reads *reads = vt_must(calloc(1, sizeof *reads));
  reads->references = 1;
  reads->notices = reads->ruleset = -1;
  vt_dir_snapshot_begin(&reads->watched);
  reads->root = vt_path_tree_root();
  return reads;
}

/* /dev has other users' terminals and disks: landlock.c grants the nodes that programs need. */
static struct vt_reads *make(char *key, const struct vt_place *places, const struct vt_reads *before) {
  struct vt_reads *reads = vt_reads_new();
  reads->key = key;
  reads->places = copy_of(places);
  if (has_any(places, VT_READABLE)) mark_all(reads, VT_READABLE, VT_MARK_GRANTED);
  else reads->root->granted = true;
  mark_all(reads, VT_UNLINKED, VT_MARK_UNLINKED);
  vt_reads_mark(reads, "/dev", VT_MARK_KEPT);
  mark_all(reads, VT_UNREADABLE, VT_MARK_KEPT);
  vt_reads_search(reads, before);
  vt_reads_watch(reads);
  return reads;
}

static bool matters(const void *reads, const char *name) { return vt_reads_keeps_name(reads, name); }

static bool is_current(const struct vt_reads *reads) {
  if (!vt_dir_snapshot_unchanged(&reads->watched)) return false;
  return reads->notices < 0 || vt_inotify_unchanged(reads->notices, matters, reads);
}

static struct vt_reads *cut(const char *key) {
  struct vt_reads **at = &cache;
  while (*at && strcmp((*at)->key, key)) at = &(*at)->next;
  struct vt_reads *reads = *at;
  if (reads) *at = reads->next;
  return reads;
}

static void put_first(struct vt_reads *reads) {
  int kept = 0;
  reads->next = cache;
  cache = reads;
  for (struct vt_reads **at = &cache; *at; at = &(*at)->next) {
    struct vt_reads *last = *at;
    if (++kept <= MOST_CACHED) continue;
    *at = NULL;
    vt_reads_release(last);
    return;
  }
}

struct vt_reads *vt_reads_take(const struct vt_place *places) {
  char *key = key_of(places);
  if (!key) return NULL;
  pthread_mutex_lock(&cache_lock);
  struct vt_reads *before = cut(key);
  bool current = before && is_current(before);
  struct vt_reads *reads = current ? before : make(key, places, before);
  if (current) free(key);
  else if (before) vt_reads_release(before);
  put_first(reads);
  vt_reads_retain(reads);
  pthread_mutex_unlock(&cache_lock);
  return reads;
}

void vt_reads_retain(struct vt_reads *reads) { __atomic_add_fetch(&reads->references, 1, __ATOMIC_RELAXED); }

void vt_reads_release(struct vt_reads *reads) {
  if (__atomic_sub_fetch(&reads->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  vt_path_tree_free(reads->root);
  vt_dir_snapshot_free(&reads->watched);
  vt_inode_set_free(&reads->kept);
  vt_inode_set_free(&reads->linked);
  if (reads->notices >= 0) close(reads->notices);
  if (reads->ruleset >= 0) close(reads->ruleset);
  for (size_t i = 0; i < reads->found_count; i++) free(reads->found[i]);
  free(reads->found);
  free(reads->places);
  free(reads->key);
  free(reads);
}
