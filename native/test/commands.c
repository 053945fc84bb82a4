#define _GNU_SOURCE
#include "test/commands.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "confine/confine.h"
#include "confine/probe.h"
#include "launch/launch.h"
#include "limits/limits.h"
#include "supervise/supervise.h"

enum { KEPT = 256, WAIT_SECONDS = 60 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct heard heard[KEPT];
static uint32_t last_id, released;

static void on_output(struct vt_owner *owner, uint32_t id, int stream, const char *bytes, size_t length) {
  (void)owner;
  pthread_mutex_lock(&lock);
  struct heard *of = &heard[id % KEPT];
  size_t room = sizeof of->text[stream] - 1 - strlen(of->text[stream]);
  strncat(of->text[stream], bytes, length < room ? length : room);
  of->bytes[stream] += length;
  pthread_mutex_unlock(&lock);
  vt_core_consumed(id, length);
}

static void on_end(struct vt_owner *owner, uint32_t id, const struct vt_end *end) {
  (void)owner;
  pthread_mutex_lock(&lock);
  if (heard[id % KEPT].ended) abort(); /* reported twice */
  heard[id % KEPT].ended = true;
  heard[id % KEPT].end = *end;
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

static void on_started(struct vt_owner *owner, uint32_t id) { (void)owner, (void)id; }

struct vt_owner test_owner = {.output = on_output, .end = on_end, .release = on_release, .started = on_started};

static char **vector(const char *first, const char *second, const char *third) {
  char **items = calloc(5, sizeof *items); /* room for the cookie */
  items[0] = (char *)first;
  items[1] = (char *)second;
  items[2] = (char *)third;
  return items;
}

/* One block for all texts, as the binding makes it. */
struct vt_command *make_command(const char *program, const char *line, const char *cwd) {
  struct vt_command *command = calloc(1, sizeof *command);
  const char *texts[] = {program, line, cwd};
  char *copies[3], *at = command->strings = malloc(strlen(program) + strlen(line) + strlen(cwd) + 3);
  for (int text = 0; text < 3; text++) {
    copies[text] = strcpy(at, texts[text]);
    at += strlen(at) + 1;
  }
  command->candidates = vector(copies[0], NULL, NULL);
  command->argv = vector("sh", "-c", copies[1]);
  command->envp = vector("PATH=/usr/bin:/bin", NULL, NULL);
  command->cwd = copies[2];
  command->id = ++last_id;
  command->owner = &test_owner;
  command->stdin_fd = command->pidfd = command->listener_fd = command->write_ends[0] = command->write_ends[1] = -1;
  heard[last_id % KEPT] = (struct heard){.ended = false};
  return command;
}

void confine_command(struct vt_command *command, const char *const *writable) {
  const char *step;
  struct vt_confinement_options options = {.listener = vt_probe()->listener, .writable = writable};
  command->confinement = vt_confinement_take(&options, &step);
  if (!command->confinement) abort();
}

uint32_t start_command(struct vt_command *command) {
  uint32_t id = command->id;
  vt_supervisor_ready();
  vt_launcher_ready();
  vt_monitor_ready(&command->limits);
  vt_supervisor_add(command);
  vt_launcher_queue(command);
  return id;
}

static void wait_until(const struct timespec *until) {
  if (pthread_cond_timedwait(&changed, &lock, until) == 0) return;
  fprintf(stderr, "a command did not end; the last one was %u\n", last_id);
  exit(EXIT_FAILURE);
}

static struct timespec a_minute_from_now(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += WAIT_SECONDS;
  return until;
}

struct heard *wait_for(uint32_t id) {
  struct timespec until = a_minute_from_now();
  pthread_mutex_lock(&lock);
  while (!heard[id % KEPT].ended) wait_until(&until);
  pthread_mutex_unlock(&lock);
  return &heard[id % KEPT];
}

void wait_for_releases(uint32_t count) {
  struct timespec until = a_minute_from_now();
  pthread_mutex_lock(&lock);
  while (released < count) wait_until(&until);
  pthread_mutex_unlock(&lock);
}
