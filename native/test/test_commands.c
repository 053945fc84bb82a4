/* Runs real commands through launcher, supervisor and watcher, under the sanitizers: what they report, and that all ends. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/command.h"
#include "notify/denials.h"
#include "supervise/deadline.h"
#include "launch/launcher.h"
#include "notify/notify_threads.h"
#include "confine/confinement.h"
#include "confine/probe.h"
#include "supervise/supervisor.h"
#include "check.h"

#define HOLDS(condition) CHECK(condition, "at command %u", last_id)

enum { MOST_COMMANDS = 256, WAIT_SECONDS = 60 };

/* What the owner heard of each command. */
struct heard {
  bool ended;
  size_t bytes[VT_STREAMS];
  char text[VT_STREAMS][64];
  struct vt_end end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct heard heard[MOST_COMMANDS];
static int released;
static uint32_t last_id;

static void on_output(struct vt_owner *owner, uint32_t id, int stream, const char *bytes, size_t length) {
  (void)owner;
  pthread_mutex_lock(&lock);
  struct heard *of = &heard[id];
  size_t room = sizeof of->text[stream] - 1 - strlen(of->text[stream]);
  strncat(of->text[stream], bytes, length < room ? length : room);
  of->bytes[stream] += length;
  pthread_mutex_unlock(&lock);
  vt_supervisor_consumed(id, length);
}

static void on_end(struct vt_owner *owner, uint32_t id, const struct vt_end *end) {
  (void)owner;
  pthread_mutex_lock(&lock);
  HOLDS(!heard[id].ended);
  heard[id].ended = true;
  heard[id].end = *end;
  vt_denials_free(end->denials);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void on_release(struct vt_owner *owner) {
  (void)owner;
  pthread_mutex_lock(&lock);
  released++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static struct vt_owner owner = {.output = on_output, .end = on_end, .release = on_release};

static char **vector(char *first, char *second, char *third) {
  char **items = calloc(4, sizeof *items);
  items[0] = first;
  items[1] = second;
  items[2] = third;
  return items;
}

/* One block for all texts, as the binding makes it. */
static struct vt_command *make(const char *program, const char *line, const char *cwd, bool confined) {
  struct vt_command *command = calloc(1, sizeof *command);
  size_t lengths[] = {strlen(program) + 1, strlen(line) + 1, strlen(cwd) + 1};
  char *at = command->strings = malloc(lengths[0] + lengths[1] + lengths[2]);
  char *copies[3];
  const char *texts[] = {program, line, cwd};
  for (int text = 0; text < 3; text++) {
    copies[text] = memcpy(at, texts[text], lengths[text]);
    at += lengths[text];
  }
  command->candidates = vector(copies[0], NULL, NULL);
  command->argv = vector((char *)"sh", (char *)"-c", copies[1]);
  command->envp = vector((char *)"PATH=/usr/bin:/bin", NULL, NULL);
  command->cwd = copies[2];
  command->id = ++last_id;
  command->owner = &owner;
  command->stdin_fd = command->pidfd = command->listener_fd = command->write_ends[0] = command->write_ends[1] = -1;
  if (confined) {
    int step;
    struct vt_confinement_options options = {.listener = vt_probe()->listener};
    command->confinement = vt_confinement_take(&options, &step);
    HOLDS(command->confinement != NULL);
  }
  return command;
}

static uint32_t start_command(struct vt_command *command) {
  uint32_t id = command->id;
  vt_supervisor_ready();
  vt_launcher_ready();
  vt_notifier_ready();
  vt_supervisor_add(command);
  vt_launcher_queue(command);
  return id;
}

static uint32_t start_program(const char *program, const char *line, const char *cwd, bool confined) {
  return start_command(make(program, line, cwd, confined));
}

static uint32_t start_until(uint32_t timeout_ms, uint32_t grace_ms, const char *line, bool confined) {
  struct vt_command *command = make("/bin/sh", line, "/", confined);
  vt_deadline_set(command, timeout_ms, grace_ms);
  return start_command(command);
}

static uint32_t start(const char *line, bool confined) { return start_program("/bin/sh", line, "/", confined); }

static void wait_until(const struct timespec *until) {
  if (pthread_cond_timedwait(&changed, &lock, until) == 0) return;
  fprintf(stderr, "command %u did not end\n", last_id);
  exit(EXIT_FAILURE);
}

static struct heard *wait_for(uint32_t id) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += WAIT_SECONDS;
  pthread_mutex_lock(&lock);
  while (!heard[id].ended) wait_until(&until);
  pthread_mutex_unlock(&lock);
  return &heard[id];
}

static void reports_output_and_code(bool confined) {
  struct heard *of = wait_for(start("echo out; echo err >&2; exit 3", confined));
  HOLDS(of->end.code == 3 && of->end.signal == 0 && of->end.failed_step == VT_STEP_NONE);
  HOLDS(strcmp(of->text[VT_STDOUT], "out\n") == 0 && strcmp(of->text[VT_STDERR], "err\n") == 0);
}

static void reports_the_failed_step(bool confined) {
  struct heard *of = wait_for(start_program("/proc/none", ":", "/", confined));
  HOLDS(of->end.failed_step == VT_STEP_EXEC && of->end.failed_errno == 2);
  of = wait_for(start_program("/bin/sh", ":", "/proc/none", confined));
  HOLDS(of->end.failed_step == VT_STEP_CWD && of->end.failed_errno == 2);
}

static void hands_out_every_byte(bool confined) {
  struct heard *of = wait_for(start("head -c 20000000 /dev/zero", confined));
  HOLDS(of->bytes[VT_STDOUT] == 20000000);
}

static void ends_what_ignores_term(bool confined) {
  uint32_t id = start("trap '' TERM; sleep 100 & while :; do sleep 1; done", confined);
  vt_supervisor_terminate(id, false);
  vt_supervisor_kill(id);
  HOLDS(wait_for(id)->end.signal == SIGKILL || wait_for(id)->end.signal == SIGTERM);
}

/* Nobody gives an order: the supervisor has the deadline and the grace. */
static void keeps_deadlines(bool confined) {
  const char *polite = "trap 'echo asked; exit 4' TERM; while :; do sleep 0.02; done";
  const char *deaf = "trap 'echo asked' TERM; while :; do sleep 0.02; done";
  int64_t begun = vt_now();
  struct heard *of = wait_for(start_until(1000, 30000, polite, confined));
  HOLDS(of->end.timed_out && of->end.code == 4 && strcmp(of->text[VT_STDOUT], "asked\n") == 0);
  HOLDS(vt_now() - begun >= 1000);
  begun = vt_now();
  of = wait_for(start_until(1000, 200, deaf, confined));
  HOLDS(of->end.timed_out && of->end.signal == SIGKILL && strcmp(of->text[VT_STDOUT], "asked\n") == 0);
  HOLDS(vt_now() - begun >= 1200);
  of = wait_for(start_until(30000, 0, "exit 3", confined));
  HOLDS(!of->end.timed_out && of->end.code == 3);
}

/* The grace of an order is the supervisor's, too; whoever was ended by one is not late, and one by the owner's clock is. */
static void keeps_the_grace_of_orders(bool confined) {
  const char *deaf = "trap '' TERM; while :; do sleep 0.02; done";
  uint32_t ended = start_until(30000, 100, deaf, confined), late = start_until(30000, 100, deaf, confined);
  vt_supervisor_terminate(ended, false);
  vt_supervisor_terminate(ended, true);
  vt_supervisor_terminate(late, true);
  HOLDS(wait_for(ended)->end.signal != 0 && !wait_for(ended)->end.timed_out);
  HOLDS(wait_for(late)->end.signal != 0 && wait_for(late)->end.timed_out);
}

static void sweeps_survivors(void) {
  struct heard *of = wait_for(start("sleep 100 >/dev/null 2>&1 & setsid sleep 100 >/dev/null 2>&1 & :", true));
  HOLDS(of->end.code == 0 && of->end.killed >= 1 && of->end.alive == 0);
}

static void runs_many_at_once(bool confined) {
  uint32_t ids[50];
  for (int at = 0; at < 50; at++) ids[at] = start("echo many", confined);
  for (int at = 0; at < 50; at++) HOLDS(strcmp(wait_for(ids[at])->text[VT_STDOUT], "many\n") == 0);
}

static void kills_all_of_an_owner(void) {
  uint32_t first = start("sleep 100", true), second = start("sleep 100", false);
  vt_supervisor_kill_all_of(&owner);
  HOLDS(wait_for(first)->end.signal == SIGKILL);
  HOLDS(wait_for(second)->end.signal == SIGKILL);
}

/* Every command lets go of its owner, and the order to kill all does too. */
static void releases_everything(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += WAIT_SECONDS;
  pthread_mutex_lock(&lock);
  while (released < (int)last_id + 1) wait_until(&until);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  bool confinable = vt_probe()->landlock_abi > 0 && vt_probe()->seccomp;
  if (!confinable) printf("no Landlock or no seccomp here: only unconfined commands are run\n");
  for (int confined = 0; confined <= (int)confinable; confined++) {
    reports_output_and_code(confined);
    reports_the_failed_step(confined);
    hands_out_every_byte(confined);
    ends_what_ignores_term(confined);
    keeps_deadlines(confined);
    keeps_the_grace_of_orders(confined);
    runs_many_at_once(confined);
  }
  if (confinable) sweeps_survivors();
  if (confinable) kills_all_of_an_owner();
  if (confinable) releases_everything();
  return finish("commands run, are reported and end");
}
