/* Calls that wait: for the reader of a FIFO, for a lock, for a connection, or for the owner's answer. */
#define _GNU_SOURCE
#include "notify/dispatch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/command.h"
#include "base/files.h"
#include "base/procfs.h"
#include "base/threads.h"

/* Shortest and longest pause (milliseconds); most waiting calls of a command: each holds a descriptor. */
enum { FIRST_PAUSE_MS = 1, LAST_PAUSE_MS = 32, MOST = 256 };

/* linux/errno.h: ERESTARTSYS. Restarts the call if the signal has no handler, or one with SA_RESTART (signal(7)); never
 * visible to a program with a pending signal. */
enum { RESTART = 512 };

struct vt_waiter *vt_wait(struct vt_notification *notification, int fd, vt_attempt try) {
  size_t number = 0;
  for (const struct vt_waiter *waiter = *notification->waiting; waiter; waiter = waiter->next) number++;
  if (number >= MOST) return NULL;
  struct vt_waiter *waiter = vt_must(calloc(1, sizeof *waiter));
  *waiter = (struct vt_waiter){
      .next = *notification->waiting,
      .id = notification->notif.id,
      .thread = notification->caller.thread,
      .fd = fd,
      .socket = -1,
      .try = try,
      .due = vt_now(),
      .pause = FIRST_PAUSE_MS,
      .last_pause = LAST_PAUSE_MS,
      .until = INT64_MAX,
  };
  notification->deferred = true;
  return *notification->waiting = waiter;
}

/* ENXIO: there is no reader yet (open(2), O_NONBLOCK). */
static int open_fifo(const struct vt_waiter *waiter) {
  char path[40];
  snprintf(path, sizeof path, "/proc/thread-self/fd/%d", waiter->fd);
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0) return fd;
  vt_close(fd);
  return -1;
}

static int try_open(struct vt_notification *by, struct vt_waiter *waiter) {
  int fd = open_fifo(waiter);
  if (fd < 0) return errno == ENXIO ? EAGAIN : errno;
  vt_send_descriptor(by->listener->fd, waiter->id, fd, waiter->flags);
  return VT_ANSWERED;
}

/* A killed caller gets no lock, and an undeliverable reply releases it: others may share the open file. */
static int try_lock(struct vt_notification *by, struct vt_waiter *waiter) {
  if (flock(waiter->fd, (int)waiter->flags | LOCK_NB)) return errno;
  if (!vt_end_call(by->listener->fd, waiter->id, 0)) flock(waiter->fd, LOCK_UN);
  return VT_ANSWERED;
}

static void wait_with(struct vt_notification *notification, int fd, vt_attempt try, uint32_t flags) {
  struct vt_waiter *waiter = vt_wait(notification, fd, try);
  if (waiter) waiter->flags = flags;
  else close(fd);
}

void vt_wait_for_reader(struct vt_notification *notification, int fifo) {
  wait_with(notification, fifo, try_open, notification->send_flags);
}

void vt_wait_for_lock(struct vt_notification *notification, int fd, int operation) {
  wait_with(notification, fd, try_lock, (uint32_t)operation);
}

/*
 * Once received, a call is interrupted only by deadly signals (SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV), so this looks for
 * other pending ones (proc_pid_status(5)). A signal to the thread, or to a process with one thread, cannot be taken by
 * another thread; one to a larger process counts at the second look. Deadly ones reach each thread (complete_signal(),
 * kernel/signal.c). 0: none.
 */
static int interruption(struct vt_waiter *waiter) {
  char status[8192];
  if (waiter->until <= vt_now()) return waiter->late;
  vt_procfs_read(waiter->thread, "status", status, sizeof status);
  uint64_t open = ~vt_bits_after(status, "\nSigBlk:");
  uint64_t own = vt_bits_after(status, "\nSigPnd:") & open, shared = vt_bits_after(status, "\nShdPnd:") & open;
  if (own || (shared && vt_number_after(status, "\nThreads:") == 1)) return RESTART;
  bool again = shared && waiter->signal_seen;
  waiter->signal_seen = shared != 0;
  return again ? EINTR : 0;
}

/* True if this waiter is done. */
static bool look_at(struct vt_notification *by, struct vt_waiter *waiter) {
  int error = waiter->try(by, waiter), listener = by->listener->fd;
  bool over = error != EAGAIN;
  if (waiter->answered || error == VT_ANSWERED) return over;
  if (!over && !(error = interruption(waiter))) return !vt_call_still_waits(listener, waiter->id);
  vt_end_call(listener, waiter->id, error);
  waiter->answered = true;
  return over || !waiter->stays;
}

static void end(struct vt_waiter **at) {
  struct vt_waiter *waiter = *at;
  *at = waiter->next;
  close(waiter->fd);
  if (waiter->socket >= 0) close(waiter->socket);
  free(waiter);
}

int vt_wait_try(struct vt_waiter **waiting, struct vt_notification *by) {
  int64_t now = vt_now(), next = INT64_MAX;
  for (struct vt_waiter **at = waiting; *at;) {
    struct vt_waiter *waiter = *at;
    if (waiter->due <= now && look_at(by, waiter)) {
      end(at);
      continue;
    }
    if (waiter->due <= now) waiter->due = vt_now() + waiter->pause, waiter->pause *= 2;
    if (waiter->pause > waiter->last_pause) waiter->pause = waiter->last_pause;
    if (waiter->due < next) next = waiter->due;
    at = &waiter->next;
  }
  return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}

void vt_wait_drop(struct vt_waiter **waiting) {
  while (*waiting) end(waiting);
}

/* Protected paths beyond MOST_QUESTIONS are refused unasked. LOOK_NS: how often a waiting call checks that its caller lives. */
enum { MOST_QUESTIONS = 100, LOOK_NS = 50 * 1000 * 1000 };

struct question {
  char *path;
  bool answered, yes;
};

struct vt_questions {
  pthread_mutex_t lock;
  pthread_cond_t answered;
  uint32_t id;
  size_t count;
  struct question asked[MOST_QUESTIONS];
};

struct vt_questions *vt_questions_open(uint32_t id) {
  struct vt_questions *questions = vt_must(calloc(1, sizeof *questions));
  pthread_mutex_init(&questions->lock, NULL);
  vt_condition_open(&questions->answered);
  questions->id = id;
  return questions;
}

void vt_questions_free(struct vt_questions *questions) {
  if (!questions) return;
  for (size_t i = 0; i < questions->count; i++) free(questions->asked[i].path);
  pthread_mutex_destroy(&questions->lock);
  pthread_cond_destroy(&questions->answered);
  free(questions);
}

static struct question *find(struct vt_questions *questions, const char *path) {
  for (size_t i = 0; i < questions->count; i++)
    if (strcmp(questions->asked[i].path, path) == 0) return &questions->asked[i];
  return NULL;
}

static struct question *put(struct vt_questions *questions, const char *path) {
  struct question *question = &questions->asked[questions->count];
  if (questions->count == MOST_QUESTIONS) return NULL;
  question->path = vt_must(strdup(path));
  char *copy = vt_must(strdup(path));
  vt_mailbox_post((struct vt_message){.kind = VT_MESSAGE_ASK, .id = questions->id, .value = questions->count++, .text = copy}, true);
  return question;
}

static bool is_over(const struct vt_notification *notification) {
  struct pollfd polled = {notification->listener->fd, 0, 0};
  return poll(&polled, 1, 0) > 0 || !vt_caller_still_waits(notification);
}

/* Called with the lock held. */
static void wait_for(struct vt_questions *questions, const struct question *question, const struct vt_notification *notification) {
  while (!question->answered && !is_over(notification))
    vt_condition_wait(&questions->answered, &questions->lock, vt_nanoseconds(CLOCK_MONOTONIC) + LOOK_NS);
}

bool vt_questions_ask(struct vt_questions *questions, const struct vt_notification *notification, const char *path) {
  if (!questions) return false;
  pthread_mutex_lock(&questions->lock);
  struct question *question = find(questions, path);
  if (!question && notification) question = put(questions, path);
  if (question && notification) wait_for(questions, question, notification);
  bool yes = question && question->answered && question->yes;
  pthread_mutex_unlock(&questions->lock);
  return yes;
}

void vt_questions_answer(struct vt_questions *questions, size_t number, bool yes) {
  if (!questions) return;
  pthread_mutex_lock(&questions->lock);
  if (number < questions->count && !questions->asked[number].answered) {
    questions->asked[number].yes = yes;
    questions->asked[number].answered = true;
  }
  pthread_cond_broadcast(&questions->answered);
  pthread_mutex_unlock(&questions->lock);
}
