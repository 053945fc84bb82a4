/* Runs commands in terminals of their own, under the sanitizers: through the core as binding.cc uses it. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "notify/listener.h"
#include "confine/probe.h"
#include "test/check.h"

#define HOLDS(condition) CHECK(condition, "at command %u: %s", last_id, shown)

enum { WAIT_SECONDS = 60, COLUMNS = 100, ROWS = 30, PASTED = 300000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint32_t last_id;
static bool started, ended;
static char shown[4096]; /* of the command that runs */
static size_t bytes;
static struct vt_end end;

static void on_output(struct vt_owner *owner, uint32_t id, int stream, const char *output, size_t length) {
  (void)owner;
  pthread_mutex_lock(&lock);
  size_t room = sizeof shown - 1 - strlen(shown);
  strncat(shown, output, length < room ? length : room);
  HOLDS(stream == VT_STDOUT);
  bytes += length;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  vt_core_consumed(id, length);
}

static void on_end(struct vt_owner *owner, uint32_t id, const struct vt_end *how) {
  (void)owner, (void)id;
  pthread_mutex_lock(&lock);
  end = *how;
  vt_denials_free(how->denials);
  ended = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void on_release(struct vt_owner *owner) { (void)owner; }

static void on_started(struct vt_owner *owner, uint32_t id) {
  (void)owner, (void)id;
  pthread_mutex_lock(&lock);
  started = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static struct vt_owner owner = {.output = on_output, .end = on_end, .release = on_release, .started = on_started};

/* One block for all texts, as the binding makes it. */
static struct vt_started start(const char *program, const char *line, bool confined) {
  struct vt_request request = {.id = ++last_id, .owner = &owner, .columns = COLUMNS, .rows = ROWS, .confined = confined};
  size_t candidates = strlen(program), argv = 6 + strlen(line), whole = candidates + 1 + argv + 1 + 20 + 1;
  char *block = calloc(1, whole);
  request.candidates = (struct vt_text){strcpy(block, program), candidates};
  block += candidates + 1;
  memcpy(block, "sh\0-c\0", 6);
  request.argv = (struct vt_text){block, argv};
  strcpy(block + 6, line);
  block += argv + 1;
  request.environment = (struct vt_text){strcpy(block, "PATH=/usr/bin:/bin"), 18};
  block += 19;
  request.directory = (struct vt_text){strcpy(block, "/"), 1};
  if (confined) request.places = calloc(1, sizeof *request.places); /* nothing but VT_NO_PLACE */
  request.stdin_fd = VT_STDIN_NULL;
  request.listener = confined && vt_probe()->listener;
  started = ended = false;
  bytes = 0;
  shown[0] = 0;
  struct vt_started answer;
  vt_core_spawn(&request, &answer);
  return answer;
}

static void await(const bool *what) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += WAIT_SECONDS;
  pthread_mutex_lock(&lock);
  while (!*what)
    if (pthread_cond_timedwait(&changed, &lock, &until)) {
      fprintf(stderr, "command %u: nothing more came after: %s\n", last_id, shown);
      exit(EXIT_FAILURE);
    }
  pthread_mutex_unlock(&lock);
}

static void await_text(const char *text) {
  for (int waits = 0; waits < WAIT_SECONDS * 100; waits++) {
    pthread_mutex_lock(&lock);
    bool there = strstr(shown, text) != NULL;
    pthread_mutex_unlock(&lock);
    if (there) return;
    usleep(10000);
  }
  HOLDS(!"shown");
}

static void type(int fd, const char *text, size_t length) {
  for (ssize_t written; length > 0; text += written, length -= (size_t)written)
    if ((written = write(fd, text, length)) <= 0) return;
}

static void is_the_controlling_terminal(bool confined) {
  struct vt_started answer = start("/bin/sh", "stty size < /dev/tty; exit 3", confined);
  await(&ended);
  HOLDS(started && end.code == 3 && strcmp(shown, "30 100\r\n") == 0);
  close(answer.stdin_fd);
}

static void takes_all_that_is_typed(bool confined) {
  static char pasted[PASTED];
  memset(pasted, 'p', sizeof pasted);
  struct vt_started answer = start("/bin/sh", "stty raw -echo; echo ready; sleep 0.1; head -c 300000 | wc -c", confined);
  await_text("ready");
  type(answer.stdin_fd, pasted, sizeof pasted);
  close(answer.stdin_fd);
  await(&ended);
  HOLDS(strstr(shown, "300000") != NULL && end.code == 0);
}

static void follows_a_new_size(bool confined) {
  struct vt_started answer = start("/bin/sh", "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.02; done", confined);
  await_text("ready");
  vt_core_resize(last_id, 7, 5);
  await(&ended);
  HOLDS(strstr(shown, "5 7") != NULL);
  close(answer.stdin_fd);
}

static void ends_in_the_middle_of_typing(bool confined) {
  static char pasted[PASTED];
  signal(SIGPIPE, SIG_IGN);
  struct vt_started answer = start("/bin/sh", "exec sleep 0.1", confined);
  type(answer.stdin_fd, pasted, sizeof pasted);
  await(&ended);
  HOLDS(end.code == 0);
  close(answer.stdin_fd);
}

static void says_what_never_ran(bool confined) {
  struct vt_started answer = start("/proc/none", ":", confined);
  await(&ended);
  HOLDS(!started && is_step(end.failed_step, "exec") && end.failed_errno == ENOENT);
  close(answer.stdin_fd);
}

/* Without `.`, `..` and the one that looks. */
static int open_descriptors(void) {
  int count = -3;
  DIR *directory = opendir("/proc/self/fd");
  while (readdir(directory)) count++;
  closedir(directory);
  return count;
}

/* Once those of commands that have ended are closed. */
static int settled_descriptors(void) {
  int count = open_descriptors(), before = count + 1;
  for (; count < before; count = open_descriptors()) {
    before = count;
    usleep(50000);
  }
  return count;
}

/* At each number of descriptors to spare: it fails at some step, keeps none, or runs. */
static void fails_cleanly_without_descriptors(bool confined) {
  struct rlimit limit, few;
  getrlimit(RLIMIT_NOFILE, &limit);
  int before = settled_descriptors(), failed_at_terminal = 0;
  for (int spare = 0; spare < 12; spare++) {
    few = (struct rlimit){(rlim_t)(before + spare), limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    struct vt_started answer = start("/bin/sh", ":", confined);
    if (!answer.failed_step) await(&ended);
    setrlimit(RLIMIT_NOFILE, &limit);
    failed_at_terminal += is_step(answer.failed_step, "terminal");
    if (answer.failed_step) HOLDS(answer.failed_errno == EMFILE && answer.stdin_fd == -1);
    else close(answer.stdin_fd);
  }
  HOLDS(failed_at_terminal >= 3);
  for (int waits = 0; waits < 100 && open_descriptors() > before; waits++) usleep(10000);
  CHECK(open_descriptors() <= before + 1, "%d descriptors, then %d", before, open_descriptors());
}

int main(void) {
  bool confinable = vt_probe()->landlock_abi > 0 && vt_probe()->seccomp;
  for (int confined = 0; confined <= (int)confinable; confined++) {
    is_the_controlling_terminal(confined);
    takes_all_that_is_typed(confined);
    follows_a_new_size(confined);
    ends_in_the_middle_of_typing(confined);
    says_what_never_ran(confined);
    fails_cleanly_without_descriptors(confined);
  }
  return finish("commands in terminals run, are typed to and end");
}
