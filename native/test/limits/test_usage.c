/* What limits count: processes that have left the session, ended ones, memory in files, and shared memory once. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "limits/limits.h"
#include "test/check.h"

enum { MEBIBYTE = 1 << 20, CHILDREN = 4 };

static void look(struct vt_process_set *members) { CHECK(vt_process_set_refresh(members, 0), "%s", strerror(errno)); }

/* A child that ends with this process, and waits to be killed. */
static pid_t pausing_child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  return pid;
}

static void end(pid_t pid) { CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid, "%s", strerror(errno)); }

static void burn(double seconds) {
  struct timespec time;
  do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  while ((double)time.tv_sec + (double)time.tv_nsec / 1e9 < seconds);
}

/* The orphan tells its number, burns, and says so; it ends when the pipe does. */
static pid_t burning_orphan(int *hold) {
  int told[2], held[2];
  pid_t pid = 0, child;
  CHECK(pipe(told) == 0 && pipe(held) == 0, "%s", strerror(errno));
  if ((child = fork()) == 0) {
    if (fork()) _exit(0);
    char unused;
    burn(0.3);
    close(held[1]);
    pid = getpid();
    if (write(told[1], &pid, sizeof pid) < 0) _exit(1);
    _exit(read(held[0], &unused, 1) != 0);
  }
  CHECK(waitpid(child, NULL, 0) == child && read(told[0], &pid, sizeof pid) == sizeof pid, "%s", strerror(errno));
  close(told[0]);
  close(told[1]);
  close(held[0]);
  *hold = held[1];
  return pid;
}

static void processor_time_of_an_ended_orphan_counts(void) {
  struct vt_process_set members;
  struct vt_cpu cpu = {0};
  int hold;
  vt_process_set_open(&members, getsid(0), "");
  look(&members);
  uint64_t before = vt_usage_cpu(&cpu, &members), second = (uint64_t)sysconf(_SC_CLK_TCK);
  pid_t orphan = burning_orphan(&hold);
  look(&members);
  uint64_t seen = vt_usage_cpu(&cpu, &members);
  CHECK(vt_pids_has(&members.found, orphan) && seen - before >= second / 5, "%lu ticks", (unsigned long)(seen - before));
  close(hold);
  /* Until process 1 has waited for it: some never do. */
  for (int tries = 0; tries < 5000 && kill(orphan, 0) == 0; tries++) usleep(1000);
  look(&members);
  uint64_t after = vt_usage_cpu(&cpu, &members);
  CHECK(after >= seen, "%lu ticks, then %lu", (unsigned long)seen, (unsigned long)after);
  look(&members);
  CHECK(vt_usage_cpu(&cpu, &members) >= seen, "lost later");
  vt_process_set_free(&members);
  free(cpu.seen);
}

static void a_file_in_memory_counts(void) {
  struct vt_process_set members;
  vt_process_set_open(&members, getsid(0), "");
  look(&members);
  uint64_t before = vt_usage_memory(&members, UINT64_MAX);
  int fd = memfd_create("test", MFD_CLOEXEC);
  CHECK(fd >= 0 && fallocate(fd, 0, 0, 48 * MEBIBYTE) == 0, "%s", strerror(errno));
  uint64_t after = vt_usage_memory(&members, UINT64_MAX);
  CHECK(after >= before + 40 * MEBIBYTE, "%lu bytes, then %lu", (unsigned long)before, (unsigned long)after);
  close(fd);
  vt_process_set_free(&members);
}

static void memory_that_processes_share_counts_once(void) {
  struct vt_process_set members;
  pid_t children[CHILDREN];
  size_t size = 128 * MEBIBYTE;
  char *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED, "%s", strerror(errno));
  memset(shared, 1, size);
  for (int at = 0; at < CHILDREN; at++) children[at] = pausing_child();
  vt_process_set_open(&members, getsid(0), "");
  look(&members);
  CHECK(members.found.count >= CHILDREN + 1, "%d members", members.found.count);
  uint64_t used = vt_usage_memory(&members, 2 * size);
  CHECK(used >= size && used < 2 * size, "%lu MiB", (unsigned long)(used / MEBIBYTE));
  for (int at = 0; at < CHILDREN; at++) end(children[at]);
  munmap(shared, size);
  vt_process_set_free(&members);
}

/* With the cookie in its environment, in a session of its own. */
static pid_t start_elsewhere(const char *variable) {
  char *const arguments[] = {"sleep", "60", NULL}, *const environment[] = {(char *)variable, NULL};
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    execve("/bin/sleep", arguments, environment);
    _exit(127);
  }
  char path[32], program[8] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  for (int tries = 0; tries < 5000 && strncmp(program, "sleep", 5); tries++) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, program, sizeof program - 1) < 0) break;
    close(fd);
    usleep(1000);
  }
  return pid;
}

static void a_process_that_left_the_session_is_a_member(void) {
  struct vt_process_set members;
  const char cookie[] = "VITRINE_COMMAND=00000000deadbeef-00000007";
  pid_t own = start_elsewhere(cookie), other = start_elsewhere("VITRINE_COMMAND=00000000deadbeef-00000008");
  vt_process_set_open(&members, getsid(0), cookie);
  look(&members);
  CHECK(vt_pids_has(&members.found, own), "it is no member");
  CHECK(!vt_pids_has(&members.found, other), "that of another command is one");
  end(own);
  end(other);
  vt_process_set_free(&members);
}

static bool is_over(uint64_t bytes, const char *const *directories) {
  struct vt_process_set no_processes = {.session = -1, .cookie = ""};
  return vt_usage_of_disk(directories, &no_processes, bytes) > bytes;
}

static void a_private_directory_holds_its_limit(void) {
  char top[] = "/tmp/vitrine-usage-XXXXXX", file[64];
  CHECK(mkdtemp(top) != NULL, "%s", strerror(errno));
  snprintf(file, sizeof file, "%s/file", top);
  int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  CHECK(fd >= 0 && fallocate(fd, 0, 0, MEBIBYTE) == 0, "%s", strerror(errno));
  const char *const directories[] = {top, NULL};
  CHECK(is_over(MEBIBYTE - 1, directories), "it is not over");
  CHECK(!is_over(MEBIBYTE + 64 * 1024, directories), "it is over");
  close(fd);
  unlink(file);
  rmdir(top);
}

int main(void) {
  CHECK(setsid() > 0 || errno == EPERM, "%s", strerror(errno));
  a_process_that_left_the_session_is_a_member();
  processor_time_of_an_ended_orphan_counts();
  a_file_in_memory_counts();
  memory_that_processes_share_counts_once();
  a_private_directory_holds_its_limit();
  return finish("limits count what they say");
}
