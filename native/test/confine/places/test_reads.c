/* What can be read: the tree of names, the rules made of it as a restricted child meets them, and when it is made anew. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/basics.h"
#include "confine/ruleset.h"
#include "confine/places/places.h"
#include "test/check.h"

static char base[PATH_MAX];

static const char *at(const char *path) {
  static char paths[8][PATH_MAX + 256];
  static int turn;
  char *whole = paths[turn++ % 8];
  snprintf(whole, sizeof *paths, "%s/%s", base, path);
  return whole;
}

static void make_file(const char *path) {
  int fd = open(at(path), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  CHECK(fd >= 0 && write(fd, "x", 1) == 1, "%s: %s", path, strerror(errno));
  close(fd);
}

static void make_directory(const char *path) { CHECK(mkdir(at(path), 0755) == 0, "%s: %s", path, strerror(errno)); }

/* One place, for as long as the test. */
static struct vt_place place(enum vt_place_kind kind, const char *text) {
  static char made[64][3 * PATH_MAX];
  static size_t count;
  snprintf(made[count], sizeof *made, "%s", text);
  return (struct vt_place){kind, made[count++]};
}

/* The errno of opening for reading in a child that is held to the places; 0: it opens. */
static int opening(const struct vt_place *places, const char *path) {
  struct vt_places *reads = vt_places_take(places);
  int ruleset = vt_landlock_build_reads(vt_landlock_abi(), reads, NULL, 0), status = 0;
  CHECK(ruleset >= 0, "no ruleset: %s", strerror(errno));
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (vt_landlock_restrict(ruleset)) _exit(255);
    _exit(open(path, O_RDONLY) < 0 ? errno : 0);
  }
  waitpid(child, &status, 0);
  close(ruleset);
  vt_places_release(reads);
  return WEXITSTATUS(status);
}

#define OPENS(places, path) CHECK(opening(places, path) == 0, "%s should open", path)
#define REFUSES(places, path) CHECK(opening(places, path) == EACCES, "%s should not open", path)

static void paths_that_are_kept(void) {
  make_directory("kept");
  make_file("kept/file");
  make_file("beside");
  const struct vt_place places[] = {place(VT_UNREADABLE, at("kept")), place(VT_UNREADABLE, at("missing/deep")), {VT_NO_PLACE, NULL}};
  REFUSES(places, at("kept/file"));
  OPENS(places, at("beside"));
  OPENS(places, at("kept")); /* its names can be listed */
  OPENS(places, "/etc/passwd");
  REFUSES(places, "/dev/ptmx");
}

/* Whether a path's own name is kept: what replaces a link later must not be readable. */
static bool keeps_place_of(struct vt_places *reads, const char *path) {
  const struct vt_path_node *name = reads->root;
  for (size_t length; name && *path; path += length) {
    path += strspn(path, "/");
    length = strcspn(path, "/");
    name = vt_path_node_child(name, path, length);
  }
  return name && name->kept;
}

static void links(void) {
  make_directory("real");
  make_file("real/file");
  CHECK(symlink("real", at("link")) == 0 && symlink("loop", at("loop")) == 0, "%s", strerror(errno));
  CHECK(link(at("kept/file"), at("second")) == 0 && link(at("beside"), at("third")) == 0, "%s", strerror(errno));
  const struct vt_place through[] = {place(VT_UNREADABLE, at("link")), place(VT_UNREADABLE, at("loop/file")), {VT_NO_PLACE, NULL}};
  REFUSES(through, at("real/file"));
  REFUSES(through, at("link/file"));
  OPENS(through, at("beside"));
  struct vt_places *reads = vt_places_take(through);
  CHECK(keeps_place_of(reads, at("link")) && keeps_place_of(reads, at("real")), "one end is not kept");
  vt_places_release(reads);
  const struct vt_place places[] = {place(VT_UNREADABLE, at("kept")), {VT_NO_PLACE, NULL}};
  REFUSES(places, at("second"));
  REFUSES(places, at("kept/file"));
  OPENS(places, at("third"));
  const struct vt_place dots[] = {place(VT_UNREADABLE, at("real/../kept/./file")), {VT_NO_PLACE, NULL}};
  REFUSES(dots, at("kept/file"));
}

static void places_that_are_granted(void) {
  make_directory("granted");
  make_file("granted/file");
  make_file("granted/kept");
  const struct vt_place places[] = {place(VT_READABLE, at("granted")), place(VT_UNREADABLE, at("granted/kept")), place(VT_READABLE, at("nowhere")), {VT_NO_PLACE, NULL}};
  OPENS(places, at("granted/file"));
  OPENS(places, at("granted"));
  REFUSES(places, at("granted/kept"));
  REFUSES(places, at("beside"));
  REFUSES(places, base);
  const struct vt_place inside[] = {place(VT_READABLE, at("kept/file")), place(VT_UNREADABLE, at("kept")), {VT_NO_PLACE, NULL}};
  REFUSES(inside, at("kept/file"));
}

/* Not on an overlay file system, as a container's: there each look compares the directories, and any new file makes it anew. */
static bool noticing;

static void names(void) {
  make_directory("tree");
  make_directory("tree/deep");
  make_directory("tree/skipped");
  make_directory("tree/quiet");
  make_file("tree/deep/.env");
  make_file("tree/deep/.env.sample");
  make_file("tree/deep/other");
  make_file("tree/skipped/.env");
  const struct vt_place places[] = {place(VT_SEARCHED, at("tree")), place(VT_NAME, ".env"), place(VT_NAME, ".env.*"), place(VT_EXCEPTED, "*.sample"),
                    place(VT_SKIPPED, "skipped"), {VT_NO_PLACE, NULL}};
  REFUSES(places, at("tree/deep/.env"));
  OPENS(places, at("tree/deep/.env.sample"));
  OPENS(places, at("tree/deep/other"));
  OPENS(places, at("tree/skipped/.env"));
  struct vt_places *reads = vt_places_take(places);
  noticing = reads->notices >= 0;
  CHECK(!reads->unsearched, "unsearched %d", reads->unsearched);
  vt_places_release(reads);
}

/* Times are settled a little later: until then nothing is taken from the cache. */
static bool is_kept(const struct vt_place *places, struct vt_places *before) {
  nanosleep(&(struct timespec){0, 30 * 1000 * 1000}, NULL);
  struct vt_places *now = vt_places_take(places);
  bool same = now == before;
  vt_places_release(now);
  return same;
}

static struct vt_places *settled(const struct vt_place *places) {
  nanosleep(&(struct timespec){0, 30 * 1000 * 1000}, NULL);
  return vt_places_take(places);
}

enum { LOUD_LOOKS = 40 };

/* Whether a change is noticed or not, as it should be. The temporary directory is on the way, and others make files there, which is
 * a change, too: it counts only where nothing has happened for a while before. */
static bool is_noticed_as(const struct vt_place *places, const char *made, bool same) {
  for (int look = 0; look < LOUD_LOOKS; look++) {
    struct vt_places *before = settled(places);
    bool quiet = is_kept(places, before);
    make_file(made);
    bool kept = is_kept(places, before);
    vt_places_release(before);
    if (quiet && kept == same) return true;
    unlink(at(made));
  }
  return false;
}

/* On a busy machine the look can come so late that the change has settled: then nothing is seen, and another one follows. */
static bool is_unsettled_after_a_change(const struct vt_place *places) {
  enum { SETTLED_NS = 20 * 1000 * 1000 }; /* TICK_NS of dir_snapshot.c */
  for (int look = 0; look < LOUD_LOOKS; look++) {
    struct vt_places *untouched = settled(places);
    int64_t before = vt_nanoseconds(CLOCK_MONOTONIC);
    make_file("unsettled");
    struct vt_places *at_once = vt_places_take(places);
    bool late = vt_nanoseconds(CLOCK_MONOTONIC) - before >= SETTLED_NS;
    struct vt_places *again = vt_places_take(places);
    bool anew = at_once != untouched && again != at_once;
    vt_places_release(untouched);
    vt_places_release(at_once);
    vt_places_release(again);
    if (anew || !late) return anew;
    unlink(at("unsettled"));
  }
  return false;
}

static void what_makes_it_anew(void) {
  const struct vt_place places[] = {place(VT_UNREADABLE, at("kept")), place(VT_SEARCHED, at("tree")), place(VT_NAME, ".env"), {VT_NO_PLACE, NULL}};
  const struct { const char *made; bool same; } changes[] = {
      {"tree/deep/plain", noticing}, {"tree/deep/.env", false}, {"tree/new-file", false}, {"new-beside", false},
  };
  unlink(at("tree/deep/.env"));
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    CHECK(is_noticed_as(places, changes[i].made, changes[i].same), "after %s", changes[i].made);
  struct vt_places *before = settled(places);
  make_directory("tree/quiet/deeper");
  CHECK(!is_kept(places, before), "after a new directory");
  vt_places_release(before);
  CHECK(is_unsettled_after_a_change(places), "what changed just now was taken for settled");
}

/* In a mount namespace of a child's own, where that can be had. */
static void another_file_system(void) {
  const struct vt_place places[] = {place(VT_SEARCHED, at("tree")), place(VT_NAME, ".env"), {VT_NO_PLACE, NULL}};
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", at("tree/quiet"), "tmpfs", 0, NULL))
      _exit(2);
    make_directory("tree/quiet/inside");
    _exit(vt_places_take(places)->unsearched ? 0 : 1);
  }
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) != 1, "a file system in the workspace was searched, or not told of");
}

static void odd_places(void) {
  const struct vt_place none[] = {place(VT_WRITABLE, base), {VT_NO_PLACE, NULL}};
  CHECK(vt_places_take(none) == NULL, "a place for writing is none for reading");
  static char long_path[3 * PATH_MAX];
  memset(long_path, 'a', sizeof long_path - 1);
  long_path[0] = '/';
  const struct vt_place places[] = {place(VT_UNREADABLE, long_path), place(VT_UNREADABLE, "/"), {VT_NO_PLACE, NULL}};
  REFUSES(places, "/etc/passwd");
  static char deep_path[PATH_MAX - 1];
  for (size_t i = 0; i < sizeof deep_path - 1; i++) deep_path[i] = i % 2 ? 'a' : '/';
  const struct vt_place deep[] = {place(VT_UNREADABLE, deep_path), {VT_NO_PLACE, NULL}};
  OPENS(deep, "/etc/passwd");
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status, (void)kind, (void)walk;
  return remove(path);
}

int main(void) {
  if (vt_landlock_abi() < 1) {
    printf("reads: skipped, no Landlock here\n");
    return 0;
  }
  /* A directory of its own: no other process makes or removes files in it. */
  snprintf(base, sizeof base, "%s", "/var/tmp/vitrine-reads-XXXXXX");
  char *outer = mkdtemp(base);
  CHECK(outer != NULL, "%s", strerror(errno));
  paths_that_are_kept();
  links();
  places_that_are_granted();
  names();
  what_makes_it_anew();
  another_file_system();
  odd_places();
  nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return finish("what can be read");
}
