/* The search for files that are kept because of their name: breadth first, so that the bound cuts off what lies deepest. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../core.h"
#include "reads.h"

/* Each directory is looked at before each command. */
enum { MOST_DIRECTORIES = 2000, MOST_FOUND = 1000, MOST_MS = 200 };

struct search {
  struct vt_reads *reads;
  char *const *places;
  char *found[MOST_FOUND];
  size_t found_count;
  size_t first; /* of those watched, the first directory of the search: they are its queue */
  struct timespec begun;
};

static bool fits(const struct search *search, const char *name, enum vt_place_kind kind) {
  for (char *const *place = search->places; *place; place++)
    if (**place == (char)kind && fnmatch(*place + 1, name, 0) == 0) return true;
  return false;
}

static bool is_secret(const struct search *search, const char *name) {
  return fits(search, name, VT_NAME) && !fits(search, name, VT_EXCEPTED);
}

static long elapsed_ms(const struct search *search) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - search->begun.tv_sec) * 1000 + (now.tv_nsec - search->begun.tv_nsec) / 1000000;
}

/* A link counts as what it leads to: `.env` may be a link to a file, or to a directory of Python's. */
static bool is_directory(int fd, const struct dirent *entry, int flags) {
  struct stat status;
  if (entry->d_type == DT_DIR) return true;
  if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK) return false;
  return fstatat(fd, entry->d_name, &status, flags) == 0 && S_ISDIR(status.st_mode);
}

static void find(struct search *search, const char *path) {
  if (search->found_count == MOST_FOUND) search->reads->unsearched = true;
  else if (!(search->found[search->found_count++] = strdup(path))) abort();
}

static void look_at(struct search *search, int fd, const struct dirent *entry, const char *directory) {
  char path[PATH_MAX];
  const char *name = entry->d_name;
  if (!strcmp(name, ".") || !strcmp(name, "..")) return;
  int length = snprintf(path, sizeof path, "%s/%s", directory[1] ? directory : "", name);
  if (length < 0 || (size_t)length >= sizeof path) {
    search->reads->unsearched = true;
    return;
  }
  if (is_secret(search, name) && !is_directory(fd, entry, 0)) return find(search, path);
  if (!is_directory(fd, entry, AT_SYMLINK_NOFOLLOW) || fits(search, name, VT_SKIPPED)) return;
  if (search->reads->watched.count - search->first < MOST_DIRECTORIES) vt_watched_add(&search->reads->watched, path);
  else search->reads->unsearched = true;
}

static void look_into(struct search *search, const char *path) {
  DIR *directory = opendir(path);
  if (!directory) return; /* what we cannot list, the command cannot read either, but for names it knows */
  for (struct dirent *entry; (entry = readdir(directory)) && elapsed_ms(search) < MOST_MS;)
    look_at(search, dirfd(directory), entry, path);
  closedir(directory);
}

static void search_beneath(struct search *search, const char *root) {
  struct vt_watched *watched = &search->reads->watched;
  search->first = watched->count;
  clock_gettime(CLOCK_MONOTONIC, &search->begun);
  vt_watched_add(watched, root);
  for (size_t at = search->first; at < watched->count; at++) look_into(search, watched->at[at].path);
  if (elapsed_ms(search) >= MOST_MS) search->reads->unsearched = true;
}

/* The directory itself is cut even where nothing was found: what comes to be there is kept at once. */
void vt_reads_search(struct vt_reads *reads, char *const *places) {
  struct search *search = calloc(1, sizeof *search);
  if (!search) abort();
  *search = (struct search){.reads = reads, .places = places};
  for (char *const *place = places; *place; place++) {
    char path[PATH_MAX];
    if (**place != VT_SEARCHED) continue;
    struct vt_name *root = vt_reads_cut(reads, *place + 1);
    if (root && vt_name_path(root, path, sizeof path) > 0) search_beneath(search, path);
  }
  for (size_t i = 0; i < search->found_count; i++) {
    vt_reads_mark(reads, search->found[i], VT_MARK_KEPT);
    free(search->found[i]);
  }
  free(search);
}
