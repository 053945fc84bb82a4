/* Private directories: made whole or refused, kept while their lock is held, removed with whatever stands in them. Never as root,
 * for whom no mode is in the way. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../core.h"
#include "confine/landlock.h"
#include "confine/confine.h"
#include "test/check.h"

enum { DEPTH = 500, THREADS = 4, TURNS = 40, NOBODY = 65534 };

static char temporary[] = "/tmp/vitrine-private-XXXXXX", parent[64];

static bool is_there(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

static struct vt_private make(void) {
  struct vt_private made;
  vt_core_make_private(temporary, &made);
  CHECK(!made.failed_step, "%s: %s", made.failed_step ? made.failed_step : "made", strerror(made.failed_errno));
  return made;
}

/* Levels lose their rights, those of their owner, too, once the next one is made: all of them, writing, none, in turn. */
static void fill(int at) {
  for (int level = 0; level < DEPTH; level++) {
    mkdirat(at, "file", 0);
    mkdirat(at, "a directory", 0700);
    int next = openat(at, "a directory", O_RDONLY | O_DIRECTORY);
    if (level % 3 == 0) fchmod(at, 0);
    if (level % 3 == 1) fchmod(at, 0500);
    close(at);
    at = next;
  }
  close(at);
}

static void is_removed_at_once_where_empty(void) {
  struct vt_private filled = make(), empty = make();
  fill(open(filled.path, O_RDONLY | O_DIRECTORY));
  CHECK(!vt_core_remove_empty_private(filled.lock) && is_there(filled.path), "it is not empty");
  CHECK(vt_core_remove_empty_private(empty.lock) && !is_there(empty.path), "it stays");
  CHECK(vt_core_remove_private(filled.lock) == 0, "it stays");
}

static void is_reset_where_as_made(void) {
  struct vt_private made = make();
  struct stat status;
  char file[sizeof made.path + 8];
  snprintf(file, sizeof file, "%s/file", made.path);
  CHECK(utimensat(AT_FDCWD, made.path, (struct timespec[2]){{1, 0}, {1, 0}}, 0) == 0, "%s", strerror(errno));
  CHECK(vt_core_reset_private(made.lock), "it is as it was made");
  CHECK(stat(made.path, &status) == 0 && status.st_mtime > 1, "its time is %ld", (long)status.st_mtime);
  CHECK(mkdir(file, 0700) == 0 && !vt_core_reset_private(made.lock) && rmdir(file) == 0, "it is not empty");
  CHECK(chmod(made.path, 0500) == 0 && !vt_core_reset_private(made.lock), "its mode has changed");
  CHECK(chmod(made.path, 0700) == 0 && setxattr(made.path, "user.x", "x", 1, 0) == 0, "%s", strerror(errno));
  CHECK(!vt_core_reset_private(made.lock), "it has an attribute");
  CHECK(vt_core_remove_private(made.lock) == 0 && !is_there(made.path), "it stays");
}

static void is_made_and_removed(void) {
  struct stat status;
  struct vt_private made = make();
  CHECK(stat(made.path, &status) == 0 && (status.st_mode & 07777) == 0700, "%s has mode %o", made.path, status.st_mode);
  CHECK(strncmp(made.path, parent, strlen(parent)) == 0, "%s", made.path);
  CHECK(vt_core_remove_private(made.lock) == 0, "it stays");
  CHECK(!is_there(parent), "its parent stays");
}

static void removes_what_is_deep_and_shut(void) {
  struct vt_private made = make();
  fill(open(made.path, O_RDONLY | O_DIRECTORY));
  int error = vt_core_remove_private(made.lock);
  CHECK(error == 0, "%s", strerror(error));
  CHECK(!is_there(made.path), "it stays");
}

static void never_follows_a_link(void) {
  char kept[128], link[sizeof((struct vt_private *)0)->path + 8];
  struct vt_private made = make();
  snprintf(kept, sizeof kept, "%s/kept", temporary);
  mkdir(kept, 0500);
  snprintf(link, sizeof link, "%s/link", made.path);
  CHECK(symlink(kept, link) == 0, "no link");
  chmod(made.path, 0);
  CHECK(vt_core_remove_private(made.lock) == 0, "it stays");
  struct stat status;
  CHECK(stat(kept, &status) == 0 && (status.st_mode & 0777) == 0500, "what the link led to has changed");
  rmdir(kept);
}

static void sweeps_what_is_not_locked(void) {
  struct vt_private live = make(), dead = make();
  fill(open(dead.path, O_RDONLY | O_DIRECTORY));
  close(dead.lock); /* as the kernel does when the host dies */
  CHECK(vt_core_sweep_private(temporary) == 0, "something stays");
  CHECK(!is_there(dead.path), "a directory without a holder stays");
  CHECK(is_there(live.path), "what is held is gone");
  CHECK(vt_core_remove_private(live.lock) == 0, "it stays");
  CHECK(vt_core_sweep_private(temporary) == 0, "nothing to sweep is an error");
}

static void refuses(const char *what, const char *step) {
  struct vt_private made;
  vt_core_make_private(temporary, &made);
  const char *told = made.failed_step ? made.failed_step : "made";
  CHECK(strcmp(told, step) == 0, "%s: %s, %s", what, told, strerror(made.failed_errno));
  if (!made.failed_step) vt_core_remove_private(made.lock);
}

static void refuses_what_is_not_its_own(void) {
  CHECK(symlink("/tmp", parent) == 0, "no link");
  refuses("a link", "foreign");
  unlink(parent);
  mkdir(parent, 0755);
  chmod(parent, 0755);
  refuses("open to others", "foreign");
  rmdir(parent);
  close(open(parent, O_CREAT | O_WRONLY, 0600));
  refuses("a file", "foreign");
  unlink(parent);
}

/* In these another user could rename vitrine-UID, and put something else in its place. */
static void refuses_where_others_can_rename(void) {
  const mode_t shared[] = {0777, 0775, 0770, 0757};
  for (size_t at = 0; at < sizeof shared / sizeof *shared; at++) {
    chmod(temporary, shared[at]);
    refuses("shared", "unsafe");
    chmod(temporary, shared[at] | S_ISVTX);
    refuses("shared and sticky", "made");
  }
  chmod(temporary, 0700);
}

static void *make_and_remove(void *unused) {
  for (int turn = 0; turn < TURNS; turn++) {
    struct vt_private made;
    vt_core_make_private(temporary, &made);
    if (!made.failed_step && is_there(made.path) && vt_core_remove_private(made.lock) == 0) continue;
    return (void *)1;
  }
  return unused;
}

static void *sweep_on(void *unused) {
  for (int turn = 0; turn < TURNS; turn++) vt_core_sweep_private(temporary);
  return unused;
}

/* Hosts make, remove and sweep at once: none removes a directory in use, nor fails when another host removes one. */
static void copes_with_others(void) {
  pthread_t threads[THREADS];
  for (int at = 0; at < THREADS; at++)
    pthread_create(&threads[at], NULL, at ? make_and_remove : sweep_on, NULL);
  for (int at = 0; at < THREADS; at++) {
    void *failed = NULL;
    pthread_join(threads[at], &failed);
    CHECK(!failed, "thread %d", at);
  }
  CHECK(!is_there(parent), "something stays");
}

/* For a command that may write to `directory`. */
static struct vt_confinement *confinement_for(const char *directory) {
  const char *step;
  const char *const writable[] = {directory, NULL};
  struct vt_confinement_options options = {.writable = writable};
  struct vt_confinement *confinement = vt_confinement_take(&options, &step);
  CHECK(confinement != NULL, "%s", strerror(errno));
  return confinement;
}

/* In a process that is held by it. */
static bool can_write(const struct vt_confinement *confinement, const char *directory) {
  char path[sizeof((struct vt_private *)0)->path + 8];
  int status = 0;
  snprintf(path, sizeof path, "%s/file", directory);
  pid_t pid = fork();
  if (pid == 0) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || vt_landlock_restrict(confinement->ruleset)) _exit(2);
    _exit(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0);
  }
  waitpid(pid, &status, 0);
  CHECK(WEXITSTATUS(status) != 2, "not held");
  unlink(path);
  return status == 0;
}

/* A confinement serves the next command once the directory of the last one is gone, and only then. */
static void a_policy_grants_one_directory_at_a_time(void) {
  struct vt_private first = make(), second = make();
  struct vt_confinement *old = confinement_for(first.path);
  CHECK(can_write(old, first.path) && !can_write(old, second.path), "the first");
  vt_confinement_release(old);
  struct vt_confinement *other = confinement_for(second.path);
  CHECK(other != old, "the first directory is still there");
  CHECK(!can_write(other, first.path) && can_write(other, second.path), "the second");
  CHECK(vt_core_remove_private(first.lock) == 0, "it stays");
  struct vt_private third = make();
  struct vt_confinement *next = confinement_for(third.path);
  CHECK(next == old && strcmp(next->writable[0], third.path) == 0, "it was built anew");
  CHECK(can_write(next, third.path) && !can_write(next, second.path) && !can_write(other, third.path), "the third");
  CHECK(mkdir(parent, 0700) == -1 && errno == EEXIST, "%s", strerror(errno));
  *strrchr(first.path, '/') = 0; /* another directory takes the place of the old one */
  CHECK(mkdir(first.path, 0700) == 0 && !can_write(next, first.path) && rmdir(first.path) == 0, "the old place");
  vt_confinement_release(next);
  vt_confinement_release(other);
  CHECK(vt_core_remove_private(second.lock) == 0 && vt_core_remove_private(third.lock) == 0, "something stays");
}

/* A confinement is built anew after MOST_USES commands: the rules of removed directories would add up. */
static void a_policy_serves_command_after_command(void) {
  struct vt_confinement *last = NULL;
  int built = 0;
  for (int turn = 0; turn < 200; turn++) {
    struct vt_private made = make();
    struct vt_confinement *confinement = confinement_for(made.path);
    built += confinement != last;
    last = confinement;
    vt_confinement_release(confinement);
    CHECK(vt_core_remove_private(made.lock) == 0, "it stays");
  }
  CHECK(built < 50, "built %d times", built);
}

int main(void) {
  umask(0777); /* whatever the host's is */
  if (!mkdtemp(temporary) || chmod(temporary, 0700)) return EXIT_FAILURE;
  if (getuid() == 0 && (chown(temporary, NOBODY, NOBODY) || setgid(NOBODY) || setuid(NOBODY))) return EXIT_FAILURE;
  snprintf(parent, sizeof parent, "%s/vitrine-%u", temporary, (unsigned)geteuid());
  is_made_and_removed();
  umask(022);
  is_removed_at_once_where_empty();
  is_reset_where_as_made();
  removes_what_is_deep_and_shut();
  never_follows_a_link();
  sweeps_what_is_not_locked();
  refuses_what_is_not_its_own();
  refuses_where_others_can_rename();
  copes_with_others();
  if (vt_landlock_abi() > 0) {
    a_policy_grants_one_directory_at_a_time();
    a_policy_serves_command_after_command();
  }
  CHECK(rmdir(temporary) == 0 || getuid() == NOBODY, "%s: %s", temporary, strerror(errno));
  return finish("private directories");
}
