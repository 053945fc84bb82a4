/* The search for other names of protected files: why it can fail. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine/places/places.h"
#include "test/check.h"
#include "workspace/workspace.h"

static char place[] = "/tmp/vitrine-other-names-XXXXXX";

/* The errno of a search that may look at `budget` entries, or 0. */
static int search(int budget) {
  struct vt_other_names names = {.budget = budget};
  struct vt_path_node *root = vt_path_tree_root(), *tmp = vt_path_node_add(root, "tmp", 3);
  int failed = vt_other_names_note(&names, vt_path_node_add(tmp, place + 5, strlen(place + 5)));
  int error = failed ? errno : 0;
  vt_other_names_free(&names);
  vt_path_tree_free(root);
  return error;
}

/* With room for `descriptors` more open files. */
static int search_with(rlim_t descriptors) {
  struct rlimit before, low;
  int next = dup(STDIN_FILENO);
  close(next);
  getrlimit(RLIMIT_NOFILE, &before);
  low = (struct rlimit){(rlim_t)next + descriptors, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  int error = search(100);
  setrlimit(RLIMIT_NOFILE, &before);
  return error;
}

int main(void) {
  if (!mkdtemp(place) || chdir(place) || mkdir("one", 0700) || mkdir("one/two", 0700)) return 1;
  CHECK(search(100) == 0, "a small directory is searched completely");
  CHECK(search(1) == EMLINK, "too many entries");
  CHECK(search_with(1) == EMFILE, "no descriptor is left for a subdirectory");
  CHECK(search_with(3) == 0, "a descriptor for each level is enough");
  if (rmdir("one/two") || rmdir("one") || chdir("/") || rmdir(place)) return 1;
  return finish("test_other_names");
}
