/* Proves that a lookup that blocks delays no other command, and a lock that another process holds no other call. Also proves that a
 * report names the file that an empty path means on Linux 7.3. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "notify/listener.h"
#include "notify/caller/place.h"
#include "confine/probe.h"
#include "test/check.h"
#include "test/commands.h"

enum { EMPTY_PATH = 1 << 26 }; /* O_EMPTYPATH, asm-generic/fcntl.h of Linux 7.3 */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct vt_end last_end;
static int to_be_stuck; /* atomic: that many of the next lookups block until release_lookups() */
static bool released;   /* under lock, with changed */
static char program[4096]; /* this one */
static char directory[] = "/tmp/vitrine-locks-XXXXXX"; /* granted for writing */
static char outside[] = "/tmp/vitrine-outside-XXXXXX"; /* not granted; writable for any user who runs this, so its refusal is reported */

/* In the place of a file system that does not answer. */
void vt_test_before_lookup(void) {
  if (__atomic_fetch_sub(&to_be_stuck, 1, __ATOMIC_RELAXED) <= 0) return;
  pthread_mutex_lock(&lock);
  while (!released) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void release_lookups(void) {
  pthread_mutex_lock(&lock);
  released = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void run(const char *line) {
  const char *const writable[] = {directory, NULL};
  struct vt_command *command = make_command("/bin/sh", line, "/");
  confine_command(command, writable);
  last_end = wait_for(start_command(command))->end;
}

static uint64_t counted(bool with_path) {
  uint64_t sum = 0;
  for (int row = 0; last_end.denials && row < last_end.denials->count; row++)
    if (!with_path || last_end.denials->rows[row].text) sum += last_end.denials->rows[row].count;
  return sum;
}

static void forget(void) {
  vt_denials_free(last_end.denials);
  last_end.denials = NULL;
}

/* Its own calls wait, as outside; those of others do not, and the command ends all the same. */
static void keeps_others_served(void) {
  char line[128];
  struct vt_command *stuck = make_command("/bin/sh", "echo x >/vitrine-nowhere", "/");
  confine_command(stuck, (const char *const[]){directory, NULL});
  __atomic_store_n(&to_be_stuck, 1, __ATOMIC_RELAXED);
  uint32_t id = start_command(stuck);
  while (__atomic_load_n(&to_be_stuck, __ATOMIC_RELAXED) > 0) usleep(1000);
  snprintf(line, sizeof line, "echo x >/dev/null && echo x >%s/nowhere", outside);
  run(line);
  CHECK(counted(true) == 1, "%lu counted with a path", (unsigned long)counted(true));
  forget();
  vt_core_kill(id);
  CHECK(wait_for(id)->end.signal == SIGKILL, "it was not killed");
  release_lookups();
}

/* Descriptor 9 holds the lock. Ten wait for it by files of their own, one by a file that is shared, and is killed. */
static void waits_for_locks(void) {
  char line[512], path[64];
  snprintf(path, sizeof path, "%s/lock", directory);
  snprintf(line, sizeof line,
           "exec 9>%s; flock -n 9; for i in 1 2 3 4 5 6 7 8 9 10; do flock %s true 9>&- & done; exec 8>%s; flock 8 9>&- & "
           "sleep 0.3; kill -9 $!; echo x >/dev/null; exec 9>&-; sleep 0.1; flock -w 5 %s true",
           path, path, path, path);
  run(line);
  CHECK(last_end.code == 0, "exit %ld", (long)last_end.code);
  CHECK(counted(false) == 0, "%lu refused", (unsigned long)counted(false));
  forget();
  unlink(path);
}

/* What a command does: opens a file, and what its descriptor stands for, with flags. Returns the errno of that. */
static int open_again(const char *path, int flags) {
  int first = open(path, O_RDONLY);
  return syscall(SYS_openat, first, "", EMPTY_PATH | flags, 0) < 0 ? errno : 0;
}

static void run_open_again(const char *path, const char *how) {
  char line[sizeof program + 64];
  snprintf(line, sizeof line, "exec '%s' %s %s", program, path, how);
  run(line);
}

/* An open of an empty path for writing is notified, and the report names the file. */
static void looks_behind_descriptors(void) {
  const struct vt_denial *row;
  char file[] = "/tmp/vitrine-behind-XXXXXX";
  close(mkstemp(file));
  run_open_again(file, "write");
  row = last_end.denials ? last_end.denials->rows : NULL;
  CHECK(last_end.code == EACCES && counted(true) == 1, "exit %ld, %lu counted", (long)last_end.code, (unsigned long)counted(true));
  CHECK(row && strcmp(row->text, file) == 0 && row->operation == VT_OP_WRITE, "another path");
  forget();
  run_open_again("/dev/null", "write");
  CHECK(counted(false) == 0, "%lu counted of /dev/null", (unsigned long)counted(false));
  forget();
  unlink(file);
}

int main(int count, char **arguments) {
  if (count == 3) _exit(open_again(arguments[1], strcmp(arguments[2], "write") == 0 ? O_WRONLY : O_RDONLY));
  if (!realpath("/proc/self/exe", program)) return 1;
  if (!vt_probe()->listener || vt_probe()->landlock_abi < 1) {
    printf("stuck lookups: skipped, no Landlock or no listener here\n");
    return 0;
  }
  if (!mkdtemp(directory) || !mkdtemp(outside)) return 1;
  if (vt_probe()->getfd_errno) printf("(no locks: pidfd_getfd is blocked) ");
  else if (access("/usr/bin/flock", X_OK) == 0) waits_for_locks();
  keeps_others_served();
  looks_behind_descriptors();
  rmdir(directory);
  rmdir(outside);
  return finish("a stuck lookup keeps no other command waiting, empty paths are looked behind");
}
