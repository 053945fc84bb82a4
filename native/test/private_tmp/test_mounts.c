/* A file system that is mounted on a private directory while that is removed: what is in it stays. rmdir(2) and rename(2) of a
 * mount point are EBUSY, so it has to come between the rmdir and the next call: the rmdir here mounts it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../check.h"
#include "../core.h"

static char temporary[] = "/tmp/vitrine-mounts-XXXXXX";
static char point[sizeof((struct vt_private *)0)->path], kept[sizeof point + 8];
static bool mounts;

static void fill(const char *directory, const char *name) {
  char file[sizeof kept];
  snprintf(file, sizeof file, "%s/%s", directory, name);
  close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static sem_t wanted, mounted;

/* In a thread of its own: the one that removes has no capabilities meanwhile. */
static void *mount_when_wanted(void *unused) {
  sem_wait(&wanted);
  CHECK(mount("vitrine", point, "tmpfs", 0, "size=64k") == 0, "%s", strerror(errno));
  fill(point, "kept");
  sem_post(&mounted);
  return unused;
}

/* In place of libc's, for the code under test. */
int unlinkat(int at, const char *name, int flags) {
  int failed = (int)syscall(SYS_unlinkat, at, name, flags);
  int error = errno;
  if (failed && mounts && error == ENOTEMPTY && strcmp(name, "tmp") == 0) {
    mounts = false;
    sem_post(&wanted);
    sem_wait(&mounted);
  }
  errno = error;
  return failed;
}

/* Only root has them without a user namespace, in which the files would have no owner. */
static bool have_own_mounts(void) {
  return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void what_is_mounted_stays(void) {
  struct vt_private made;
  struct stat status;
  vt_core_make_private(temporary, &made);
  CHECK(!made.failed_step, "%s", strerror(made.failed_errno));
  strcpy(point, made.path);
  snprintf(kept, sizeof kept, "%s/kept", point);
  fill(point, "beneath");
  pthread_t mounting;
  sem_init(&wanted, 0, 0);
  sem_init(&mounted, 0, 0);
  CHECK(pthread_create(&mounting, NULL, mount_when_wanted, NULL) == 0, "no thread");
  mounts = true;
  int error = vt_core_remove_private(made.lock);
  CHECK(!mounts, "nothing was mounted");
  pthread_join(mounting, NULL);
  CHECK(error != 0, "it is gone");
  CHECK(stat(kept, &status) == 0, "the file in what is mounted: %s", strerror(errno));
  CHECK(umount(point) == 0, "%s", strerror(errno));
  CHECK(vt_core_sweep_private(temporary) == 0, "it stays without the mount");
}

int main(void) {
  CHECK(mkdtemp(temporary) != NULL, "%s", strerror(errno));
  if (have_own_mounts()) what_is_mounted_stays();
  else fprintf(stderr, "  skipped: no mounts of its own: %s\n", strerror(errno));
  rmdir(temporary);
  return finish("what is mounted in a private directory stays");
}
