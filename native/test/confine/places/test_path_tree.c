/* The tree of names and the rules made of it, with as many and as deep names as a project file may list. */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/threads.h"
#include "confine/ruleset.h"
#include "confine/places/places.h"
#include "test/check.h"

static char base[] = "/var/tmp/vitrine-tree-XXXXXX";

/* Each is found again, whatever others stand beside it. */
static void many_names(void) {
  struct vt_path_node *root = vt_path_tree_root();
  char text[16];
  size_t found = 0;
  for (int i = 0; i < 2000; i++) vt_path_node_add(root, text, (size_t)snprintf(text, sizeof text, "name-%d", i))->kept = i % 2;
  for (int i = 0; i < 2000; i++) {
    const struct vt_path_node *name = vt_path_node_child(root, text, (size_t)snprintf(text, sizeof text, "name-%d", i));
    found += name && strcmp(name->text, text) == 0 && name->kept == (i % 2);
  }
  CHECK(found == 2000, "%zu found", found);
  CHECK(!vt_path_node_child(root, "name", 4) && !vt_path_node_child(root, "name-20000", 10), "a name was found that was never taken");
  vt_path_tree_free(root);
}

struct build {
  const char *kept;
  int error;
};

/* On the small stack of a thread, as commands are launched. */
static void *build(void *context) {
  struct build *build = context;
  struct vt_places *reads = vt_places_new();
  reads->root->granted = true;
  vt_places_mark(reads, build->kept, VT_MARK_KEPT);
  vt_places_watch(reads);
  build->error = vt_landlock_build_reads(vt_landlock_abi(), reads, NULL, 0) < 0 ? errno : 0;
  vt_places_release(reads);
  return NULL;
}

/* The errno of making rules for a path of so many names, of which the first `existing` are directories. */
static int building(size_t names, size_t existing) {
  static char path[PATH_MAX + 2 * 50000];
  char *end = stpcpy(path, base);
  for (size_t i = 0; i < names; i++) {
    end = stpcpy(end, "/a");
    if (i < existing) mkdir(path, 0755);
  }
  struct build wanted = {path, -1};
  CHECK(vt_thread_run("build", build, &wanted) == 0, "%s", strerror(errno));
  return wanted.error;
}

static void deep_names(void) {
  CHECK(building(50000, 0) == 0, "a path that is not there costs no more than its length");
  CHECK(building(150, 150) == 0, "many levels");
  CHECK(building(1500, 1500) == ENAMETOOLONG, "too many levels are refused");
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status, (void)kind, (void)walk;
  return remove(path);
}

int main(void) {
  many_names();
  if (vt_landlock_abi() >= 1 && mkdtemp(base)) deep_names();
  nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return finish("the tree of names");
}
