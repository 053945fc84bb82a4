/* Limits, by the core itself: what is over one is ended and named; what is measured is right to the block. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/basics.h"
#include "limits/limits.h"
#include "confine/probe.h"
#include "test/check.h"
#include "test/commands.h"

#define HOLDS(condition) CHECK(condition, "does not hold")

enum { MEBIBYTE = 1 << 20 };

static const struct vt_end *run(const char *line, bool confined, struct vt_limits limits) {
  struct vt_command *command = make_command("/bin/sh", line, "/");
  command->limits = limits;
  if (confined) confine_command(command, NULL);
  const struct vt_end *end = &wait_for(start_command(command))->end;
  vt_core_free_denials(end->denials);
  return end;
}

static bool limited(const struct vt_end *end, const char *by) {
  if (end->failed_step) fprintf(stderr, "step %s: %s\n", end->failed_step, strerror(end->failed_errno));
  return !end->failed_step && end->limited && strcmp(end->limited, by) == 0;
}

static const char *const hog = "head -c 300000000 /dev/zero | tail -c 299000000 | tail -c 1";

static void ends_what_is_over(bool confined) {
  HOLDS(limited(run(hog, confined, (struct vt_limits){.memory_bytes = 64 * MEBIBYTE}), "memory"));
  HOLDS(limited(run("true", confined, (struct vt_limits){.memory_bytes = 1}), "memory"));
  /* Each takes the second of processor time that is the limit: one line for each way to run. */
  const char *busy = confined ? "while :; do sh -c 'for i in 1 2 3; do :; done'; done" : "while :; do :; done";
  HOLDS(limited(run(busy, confined, (struct vt_limits){.cpu_seconds = 1}), "cpu"));
  HOLDS(limited(run("for i in 1 2 3 4 5 6 7 8; do sleep 9 & done; wait", confined, (struct vt_limits){.processes = 4}), "processes"));
}

static void spares_what_is_below(bool confined) {
  const struct vt_limits limits = {.memory_bytes = 200 * MEBIBYTE, .cpu_seconds = 30, .processes = 60, .open_files = 64};
  const struct vt_end *end = run("ls -l / | sort | wc -l; sleep 0.2; exit 3", confined, limits);
  HOLDS(!end->failed_step && !end->limited && end->code == 3 && end->signal == 0);
}

static void leaves_no_cgroup(void) {
  const char *base = vt_cgroup_base(NULL);
  DIR *directory = base ? opendir(base) : NULL;
  if (!directory) return;
  for (const struct dirent *entry; (entry = readdir(directory));) HOLDS(strncmp(entry->d_name, "vitrine-", 8) != 0);
  closedir(directory);
}

static void write_file(const char *path, size_t bytes) {
  static char block[64 * 1024];
  memset(block, 1, sizeof block);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  for (size_t left = bytes; left > 0; left -= sizeof block) HOLDS(write(fd, block, sizeof block) == (ssize_t)sizeof block);
  close(fd);
}

/* Forty levels more than are held open, a file on each, made before and after the way down. */
static void measures_a_deep_tree(void) {
  char top[] = "/tmp/vitrine-limits-XXXXXX", here[4096];
  struct vt_process_set no_processes = {.session = -1, .cookie = ""};
  HOLDS(mkdtemp(top) != NULL && getcwd(here, sizeof here) != NULL && chdir(top) == 0);
  const char *const directories[] = {top, NULL};
  uint64_t empty = vt_usage_of_disk(directories, &no_processes, UINT64_MAX);
  for (int level = 0; level < 72; level++) {
    write_file("file", 128 * 1024);
    write_file("z", 64 * 1024);
    HOLDS(symlink("/usr", "link") == 0 && link("z", "other name of z") == 0);
    HOLDS(mkdir("directory", 0700) == 0 && chdir("directory") == 0);
  }
  HOLDS(chdir(here) == 0);
  uint64_t full = vt_usage_of_disk(directories, &no_processes, UINT64_MAX), files = 72 * 192 * 1024;
  HOLDS(full - empty >= files && full - empty <= files + 72 * 3 * 4096);
  HOLDS(vt_usage_of_disk(directories, &no_processes, MEBIBYTE) > MEBIBYTE);
  char remove[64];
  snprintf(remove, sizeof remove, "rm -rf %s", top);
  HOLDS(system(remove) == 0);
}

static void burn(double seconds) {
  struct timespec time;
  do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  while ((double)time.tv_sec + (double)time.tv_nsec / 1e9 < seconds);
}

/* A child that was seen, and then waited for, counts once. */
static void counts_a_child_once(void) {
  struct vt_process_set members = {.cookie = ""};
  struct vt_cpu cpu = {0};
  vt_process_set_open(&members, getsid(0), "");
  HOLDS(vt_process_set_refresh(&members, 0));
  uint64_t before = vt_usage_cpu(&cpu, &members), second = (uint64_t)sysconf(_SC_CLK_TCK);
  pid_t child = fork();
  if (child == 0) {
    burn(0.3);
    _exit(0);
  }
  siginfo_t info;
  HOLDS(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0 && vt_process_set_refresh(&members, 0));
  uint64_t seen = vt_usage_cpu(&cpu, &members);
  HOLDS(vt_pids_has(&members.found, child) && waitpid(child, NULL, 0) == child && vt_process_set_refresh(&members, 0));
  uint64_t after = vt_usage_cpu(&cpu, &members);
  HOLDS(seen - before >= second / 5 && after >= seen && after - seen < second / 5 && cpu.lost == 0);
  vt_process_set_free(&members);
  free(cpu.seen);
}

/* With a line as its argument it runs that with limits, and can be looked at, or killed, from outside. */
int main(int count, char **arguments) {
  const char *reason = NULL, *base = vt_cgroup_base(&reason);
  if (count > 1) return run(arguments[1], false, (struct vt_limits){.memory_bytes = 64 * MEBIBYTE})->limited ? 137 : 0;
  HOLDS(setsid() > 0 || errno == EPERM);
  measures_a_deep_tree();
  counts_a_child_once();
  for (int confined = 0; confined <= (vt_probe()->landlock_abi > 0 && vt_probe()->seccomp); confined++) {
    ends_what_is_over(confined);
    spares_what_is_below(confined);
  }
  leaves_no_cgroup();
  printf("(%s%s) ", base ? "in cgroups of " : "no cgroup: ", base ? base : reason);
  return finish("limits");
}
