/* For each byte on standard input: posix_spawn(3) of `sh -c :`, both outputs read until they close, waitpid(2). Prints the
 * nanoseconds that this took. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void drain(int out, int err) {
  struct pollfd ends[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  char buffer[65536];
  for (int open = 2; open > 0 && poll(ends, 2, -1) > 0;)
    for (int at = 0; at < 2; at++)
      if (ends[at].revents && read(ends[at].fd, buffer, sizeof buffer) <= 0) {
        ends[at].fd = -1;
        open--;
      }
}

static int run(void) {
  char *arguments[] = {"sh", "-c", ":", NULL};
  int out[2], err[2], status;
  pid_t pid;
  if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  int error = posix_spawnp(&pid, "sh", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);
  if (!error) drain(out[0], err[0]);
  close(out[0]);
  close(err[0]);
  return error || waitpid(pid, &status, 0) != pid || status ? -1 : 0;
}

int main(void) {
  for (char byte; read(0, &byte, 1) == 1;) {
    long long started = now();
    if (run()) return 1;
    printf("%lld\n", now() - started);
    fflush(stdout);
  }
  return 0;
}
