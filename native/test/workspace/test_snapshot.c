/* Snapshots of paths: what shows as a change. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "test/check.h"

static char place[] = "/tmp/vitrine-snapshot-XXXXXX";

static void touch(const char *name) {
  int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0 || write(fd, "x", 1) != 1 || close(fd)) abort();
}

/* A snapshot counts only if nothing has changed within 20 ms before it. */
static void settle(void) { nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL); }

static void append(void) { touch("file"); }
static void create(void) { touch("absent"); }
static void retarget(void) {
  if (unlink("link") || symlink("other", "link")) abort();
}
static void change_target(void) { touch("target"); }
static void replace_above(void) {
  if (rename("above", "away") || symlink("away", "above")) abort();
}
static void fill_above(void) { touch("above/new"); }
static void change_elsewhere(void) { touch("unlisted"); }

static const struct row {
  const char *name;
  void (*act)(void);
  bool unchanged;
} rows[] = {
    {"a file changes", append, false},
    {"a missing path appears", create, false},
    {"a link leads elsewhere", retarget, false},
    {"what a link leads to changes", change_target, false},
    {"a directory above becomes a link to itself", replace_above, false},
    {"a directory above gets an entry", fill_above, true},
    {"another path changes", change_elsewhere, true},
};

static void make(void) {
  if (mkdir("above", 0700) || symlink("target", "link")) abort();
  touch("file");
  touch("target");
  touch("other");
}

static void clear(void) {
  static const char *const names[] = {"above/new", "away/new", "above", "away", "file", "absent", "link", "target", "other", "unlisted"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (unlink(names[i])) rmdir(names[i]);
}

static void try(const struct row *row) {
  static const char *const above[] = {"above", NULL}, *const paths[] = {"file", "absent", "link", NULL};
  make();
  settle();
  struct vt_dir_snapshot *snapshot = vt_core_snapshot(above, paths);
  CHECK(vt_core_unchanged(snapshot), "%s: unchanged before", row->name);
  row->act();
  CHECK(vt_core_unchanged(snapshot) == row->unchanged, "%s", row->name);
  vt_core_free_snapshot(snapshot);
  clear();
}

int main(void) {
  if (!mkdtemp(place) || chdir(place)) return 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) try(&rows[i]);
  if (chdir("/") || rmdir(place)) return 1;
  return finish("test_snapshot");
}
