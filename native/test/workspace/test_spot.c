/* Where a path of a workspace leads: vt_workspace_find(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/threads.h"
#include "confine/ruleset.h"
#include "confine/places/places.h"
#include "core.h"
#include "test/check.h"
#include "notify/caller/place.h"
#include "workspace/workspace.h"

static char base[PATH_MAX], root[PATH_MAX + 8], kept[7][PATH_MAX + 32];

static const char *at(const char *path) {
  static char whole[PATH_MAX * 2];
  snprintf(whole, sizeof whole, "%s/%s", base, path);
  return whole;
}

static const struct row {
  const char *path;
  enum vt_spot_kind kind;
  bool on_the_way, has_parent;
} rows[] = {
    {"outside", VT_SPOT_OUTSIDE, false, false},
    {"rootless", VT_SPOT_OUTSIDE, false, false}, /* begins like the root */
    {"root", VT_SPOT_HELD, false, true}, /* its own metadata; it has no name in it */
    {"root/new", VT_SPOT_HELD, false, true},
    {"root/src", VT_SPOT_HELD, false, true}, /* a name in a cut directory */
    {"root/src/new", VT_SPOT_GRANTED, false, false},
    {"root/.git", VT_SPOT_PROTECTED, true, true},
    {"root/.git/new", VT_SPOT_HELD, false, true},
    {"root/.git/config", VT_SPOT_PROTECTED, false, false},
    {"root/.git/CONFIG", VT_SPOT_PROTECTED, false, false},
    {"root/.envrc", VT_SPOT_PROTECTED, false, false},
    {"root/.EnvRC", VT_SPOT_PROTECTED, false, false},
    {"root/.github", VT_SPOT_PROTECTED, true, true},
    {"root/.github/workflows", VT_SPOT_PROTECTED, false, false},
    {"root/.github/workflows/ci.yml", VT_SPOT_PROTECTED, false, false},
    {"root/.GITHUB", VT_SPOT_PROTECTED, true, true},
    {"root/.GITHUB/new", VT_SPOT_GRANTED, false, false}, /* another directory, on a file system that tells the names apart */
    {"root/tools/hooks", VT_SPOT_PROTECTED, false, false}, /* listed as Tools/hooks, which may be the same */
    {"root/tools/HOOKS/new", VT_SPOT_PROTECTED, false, false},
    {"root/tools/new", VT_SPOT_HELD, false, true},
    {"root/both/hooks", VT_SPOT_HELD, false, true}, /* listed as Both/hooks, which is another directory */
    {"root/both/monitor", VT_SPOT_PROTECTED, false, false},
    {"root/src-link/new", VT_SPOT_OUTSIDE, false, false}, /* a link is no directory of the workspace */
};

static void make(void) {
  CHECK(mkdtemp(strcpy(base, "/tmp/vitrine-find-XXXXXX")), "%s", strerror(errno));
  const char *directories[] = {"root", "root/.git", "root/src", "root/.GITHUB", "root/tools", "root/both", "root/Both", "outside"};
  for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) CHECK(mkdir(at(directories[i]), 0755) == 0, "%s", directories[i]);
  close(open(at("root/.git/config"), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  CHECK(symlink("src", at("root/src-link")) == 0, "%s", strerror(errno));
  usleep(20 * 1000); /* what is made in the tick of the ruleset counts as newer than it */
  strcpy(root, at("root"));
  strcpy(kept[0], at("root/.git/config"));
  strcpy(kept[1], at("root/.envrc"));
  strcpy(kept[2], at("root/.github/workflows"));
  strcpy(kept[3], at("root/tools/monitor"));
  strcpy(kept[4], at("root/Tools/hooks"));
  strcpy(kept[5], at("root/both/monitor"));
  strcpy(kept[6], at("root/Both/hooks"));
}

static bool folds; /* as on a file system that folds case, Tools is tools, and is another directory at each look */

static void make_tools_anew(void) {
  char anew[sizeof base + 16];
  strcpy(anew, at("root/anew"));
  CHECK(mkdir(anew, 0755) == 0 && rmdir(at("root/tools")) == 0, "%s", strerror(errno));
  CHECK(rename(anew, at("root/tools")) == 0, "%s", strerror(errno));
}

/* In the place of libc's. */
int fstatat(int fd, const char *path, struct stat *status, int flags) {
  typedef int looks(int, const char *, struct stat *, int);
  bool tools = folds && strcasecmp(path, "tools") == 0;
  if (tools) make_tools_anew();
  return ((looks *)dlsym(RTLD_NEXT, "fstatat"))(fd, tools ? "tools" : path, status, flags);
}

static void check_races(const struct vt_workspace *workspace) {
  struct vt_spot spot;
  char hooks[sizeof root + 16];
  strcpy(hooks, at("root/tools/hooks"));
  folds = true;
  vt_workspace_find(workspace, NULL, hooks, false, &spot);
  folds = false;
  CHECK(spot.kind == VT_SPOT_PROTECTED, "kind %d", spot.kind);
  vt_spot_close(&spot);
}

static void check_rows(const struct vt_workspace *workspace) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct vt_spot spot;
    vt_workspace_find(workspace, NULL, at(rows[i].path), false, &spot);
    CHECK(spot.kind == rows[i].kind, "%s: kind %d", rows[i].path, spot.kind);
    CHECK(spot.on_the_way == rows[i].on_the_way, "%s", rows[i].path);
    CHECK((spot.parent >= 0) == rows[i].has_parent, "%s: parent %d", rows[i].path, spot.parent);
    vt_spot_close(&spot);
  }
}

static const struct vt_known_directory *add(struct vt_known *known, const struct vt_workspace *workspace, const char *path, const char *directory) {
  struct vt_identity identity;
  CHECK(vt_identify(AT_FDCWD, at(directory), 0, &identity) == 0, "%s", directory);
  return vt_known_add(known, workspace, NULL, at(path), &identity);
}

static void check_known(const struct vt_workspace *workspace) {
  static struct vt_known known;
  struct vt_identity identity;
  CHECK(!add(&known, workspace, "root/.git/new", "root/.git"), "its names differ in what may be done with them");
  CHECK(!add(&known, workspace, "root/src/new", "root/.git"), "another directory");
  CHECK(!add(&known, workspace, "outside/new", "outside"), "outside");
  const struct vt_known_directory *added = add(&known, workspace, "root/src/new", "root/src");
  CHECK(added && added->kind == VT_SPOT_GRANTED, "known");
  CHECK(vt_identify(AT_FDCWD, at("root/src"), 0, &identity) == 0 && vt_known_find(&known, &identity) == added, "found again");
  known.slots[added - known.slots].until = 0;
  CHECK(!vt_known_find(&known, &identity) && fcntl(added->fd, F_GETFD) >= 0, "too old, but still open");
  for (int i = 0; i <= VT_MOST_KNOWN; i++) CHECK(add(&known, workspace, "root/src/new", "root/src"), "proven anew");
  vt_known_forget(&known);
  CHECK(!vt_known_find(&known, &identity), "forgotten");
}

/* Room for the root, but not for the list of mounts: they could be beneath it. */
static void check_unknown_mounts(void) {
  const struct vt_place places[] = {{VT_ROOT, root}, {VT_NO_PLACE, NULL}};
  struct rlimit all, few;
  int next = open("/", O_PATH | O_CLOEXEC);
  close(next);
  CHECK(getrlimit(RLIMIT_NOFILE, &all) == 0, "%s", strerror(errno));
  few = (struct rlimit){(rlim_t)next + 1, all.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  struct vt_workspace *workspace = vt_workspace_open(places, NULL);
  int error = errno;
  setrlimit(RLIMIT_NOFILE, &all);
  CHECK(!workspace && error == EMFILE, "errno %d", error);
  if (workspace) vt_workspace_release(workspace);
}

/* On the small stack of a thread, as commands are launched. */
static void *open_deep(void *context) {
  struct vt_workspace **opened = context;
  static char deep[PATH_MAX + 100000];
  char *end = stpcpy(deep, root);
  for (int i = 0; i < 50000; i++) end = stpcpy(end, "/a");
  const struct vt_place places[] = {{VT_ROOT, root}, {VT_PROTECTED, deep}, {VT_UNREADABLE, deep}, {VT_NO_PLACE, NULL}};
  struct vt_places *reads = vt_places_take(places);
  *opened = vt_workspace_open(places, reads);
  if (*opened) vt_workspace_release(*opened);
  vt_places_release(reads);
  return NULL;
}

/* A project file may name such a path. */
static void check_deep(void) {
  struct vt_workspace *opened = NULL;
  CHECK(vt_thread_run("deep", open_deep, &opened) == 0 && opened, "%s", strerror(errno));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status, (void)type, (void)walk;
  return remove(path);
}

int main(void) {
  make();
  struct vt_place places[9] = {{VT_ROOT, root}};
  for (int i = 0; i < 7; i++) places[i + 1] = (struct vt_place){VT_PROTECTED, kept[i]};
  struct vt_workspace *workspace = vt_workspace_open(places, NULL);
  CHECK(workspace, "%s", strerror(errno));
  if (workspace) {
    struct vt_landlock_options options = {.abi = vt_landlock_abi(), .workspace = workspace};
    int ruleset = vt_landlock_build(&options);
    CHECK(ruleset >= 0, "%s", strerror(errno));
    check_rows(workspace);
    check_known(workspace);
    check_races(workspace);
    close(ruleset);
    vt_workspace_release(workspace);
  }
  check_unknown_mounts();
  check_deep();
  nftw(base, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  return finish("workspace spots");
}
