/* What a host that is killed leaves in cgroups, and a launch into one. Where no part of cgroup v2 is ours there is nothing to
 * see. With lines as its arguments the program is that host: it runs one after the other, in write mode and with limits. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/basics.h"
#include "limits/limits.h"
#include "test/check.h"
#include "test/commands.h"

#define HOLDS(condition) CHECK(condition, "does not hold")

enum { WAIT_MS = 20000, PROMISED_MS = 1000, PATH_ROOM = 512 };

static const char *base;

static void run(const char *line) {
  struct vt_command *command = make_command("/bin/sh", line, "/");
  command->limits = (struct vt_limits){.memory_bytes = UINT64_C(64) << 20};
  wait_for(start_command(command));
}

static int be_host(char **lines) {
  for (; *lines; lines++) run(*lines);
  return EXIT_SUCCESS;
}

static pid_t start_host(const char *first, const char *second) {
  pid_t pid = fork();
  if (pid) return pid;
  execl("/proc/self/exe", "host", first, second, NULL);
  _exit(127);
}

static bool is_of(const char *name, pid_t host) {
  int pid;
  return sscanf(name, "vitrine-%d-", &pid) == 1 && pid == host;
}

struct left {
  int cgroups, processes, sessions;
};

static void count_in(const char *name, struct left *left) {
  char path[PATH_ROOM], line[64];
  snprintf(path, sizeof path, "%s/%s/cgroup.procs", base, name);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file)) {
    left->processes++;
    left->sessions += getsid(atoi(line)) == atoi(line);
  }
  if (file) fclose(file);
}

static struct left left_by(pid_t host) {
  struct left left = {0, 0, 0};
  DIR *directory = opendir(base);
  for (const struct dirent *entry; directory && (entry = readdir(directory));)
    if (is_of(entry->d_name, host)) {
      left.cgroups++;
      count_in(entry->d_name, &left);
    }
  if (directory) closedir(directory);
  return left;
}

static bool comes_to(pid_t host, int cgroups, int processes, int sessions) {
  struct left left = {0, 0, 0};
  for (int64_t until = vt_now() + WAIT_MS; vt_now() < until; usleep(2000)) {
    left = left_by(host);
    if (left.cgroups == cgroups && left.processes == processes && left.sessions == sessions) return true;
  }
  fprintf(stderr, "  %d cgroups with %d processes in %d sessions, not %d with %d in %d\n", left.cgroups, left.processes,
          left.sessions, cgroups, processes, sessions);
  return false;
}

static void kill_host(pid_t host) {
  kill(host, SIGKILL);
  waitpid(host, NULL, 0);
}

static bool can_kill_cgroups(void) {
  char path[PATH_ROOM];
  snprintf(path, sizeof path, "%s/vitrine-0-probe", base);
  if (mkdir(path, 0700)) return false;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool can = faccessat(fd, "cgroup.kill", W_OK, 0) == 0;
  close(fd);
  rmdir(path);
  return can;
}

/* A process that left the session with an empty environment is found only by its cgroup. */
static void leaves_nothing_of_a_running_command(void) {
  pid_t host = start_host("env -i setsid sleep 600 >/dev/null 2>&1 & trap '' TERM; sleep 600 & sleep 600", NULL);
  HOLDS(comes_to(host, 1, 4, 2));
  kill_host(host);
  int64_t killed = vt_now();
  HOLDS(comes_to(host, 0, 0, 0));
  HOLDS(vt_now() - killed < PROMISED_MS);
}

static void leaves_no_empty_cgroup(void) {
  pid_t host = start_host("exec sleep 600", NULL);
  HOLDS(comes_to(host, 1, 1, 1));
  kill_host(host);
  int64_t killed = vt_now();
  HOLDS(comes_to(host, 0, 0, 0));
  HOLDS(vt_now() - killed < PROMISED_MS);
}

/* What a finished command of write mode left in the background is the user's. */
static void spares_the_background_of_a_finished_one(void) {
  char path[PATH_ROOM];
  pid_t host = start_host("setsid sleep 600 >/dev/null 2>&1 &", "exec sleep 600");
  HOLDS(comes_to(host, 2, 2, 2));
  kill_host(host);
  HOLDS(comes_to(host, 1, 1, 1));
  usleep(200000); /* of the watcher's time */
  HOLDS(comes_to(host, 1, 1, 1));
  DIR *directory = opendir(base);
  for (const struct dirent *entry; (entry = readdir(directory));) {
    if (!is_of(entry->d_name, host)) continue;
    snprintf(path, sizeof path, "%s/%s/cgroup.kill", base, entry->d_name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    HOLDS(write(fd, "1", 1) == 1);
    close(fd);
    snprintf(path, sizeof path, "%s/%s", base, entry->d_name);
    for (int tried = 0; tried < 1000 && rmdir(path) && errno == EBUSY; tried++) usleep(2000);
  }
  closedir(directory);
  HOLDS(comes_to(host, 0, 0, 0));
}

static void removes_that_of_a_finished_one(void) {
  pid_t host = start_host("exit 3", "exec sleep 600");
  HOLDS(comes_to(host, 1, 1, 1));
  kill_host(host);
  HOLDS(comes_to(host, 0, 0, 0));
}

int main(int count, char **arguments) {
  const char *reason = NULL;
  base = vt_cgroup_base(&reason);
  if (count > 1) return be_host(arguments + 1);
  CHECK(base || reason, "no reason");
  if (base) {
    removes_that_of_a_finished_one();
    leaves_no_empty_cgroup();
  }
  if (base && can_kill_cgroups()) {
    leaves_nothing_of_a_running_command();
    spares_the_background_of_a_finished_one();
  }
  printf("(%s%s) ", base ? "in cgroups of " : "no cgroup: ", base ? base : reason);
  return finish("cgroup");
}
