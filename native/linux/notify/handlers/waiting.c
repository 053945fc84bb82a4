/* Calls that wait: for the reader of a FIFO, for a lock, or for the owner's answer. */
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
#include "base/procfs.h"
#include "base/threads.h"

/* Shortest and longest pause (milliseconds); most waiting calls of a command: each holds a descriptor. */
enum { FIRST_PAUSE_MS = 1, LAST_PAUSE_MS = 32, MOST = 64 };

/* linux/errno.h: ERESTARTSYS. Restarts the call if the signal has no handler, or one with SA_RESTART (signal(7)); never
 * visible to a program with a pending signal. */
enum { RESTART = 512 };

struct vt_waiter {
  struct vt_waiter *next;
  uint64_t id; /* of the notification */
  pid_t thread;
  int fd;        /* a FIFO, by O_PATH; or the caller's file */
  uint32_t flags;
  int operation; /* of flock(2); 0: an open */
  int64_t due, pause;
  bool signal_seen; /* the last try saw a process-directed signal, which another thread may take */
};

static size_t count(const struct vt_waiter *waiter) {
  size_t number = 0;
  for (; waiter; waiter = waiter->next) number++;
  return number;
}

bool vt_wait_add(struct vt_waiter **waiting, struct vt_notification *notification) {
  if (notification->awaited < 0) return false;
  if (count(*waiting) >= MOST) return close(notification->awaited), false;
  struct vt_waiter *waiter = vt_must(calloc(1, sizeof *waiter));
  *waiter = (struct vt_waiter){
      .next = *waiting,
      .id = notification->notif.id,
      .thread = notification->caller.thread,
      .fd = notification->awaited,
      .flags = notification->send_flags,
      .operation = notification->call->call == VT_SYS_flock ? (int)vt_argument(notification, 1) : 0,
      .due = vt_now(),
      .pause = FIRST_PAUSE_MS,
  };
  *waiting = waiter;
  return true;
}

/* ENXIO: there is no reader yet (open(2), O_NONBLOCK). */
static int open_fifo(const struct vt_waiter *waiter) {
  char path[40];
  snprintf(path, sizeof path, "/proc/thread-self/fd/%d", waiter->fd);
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0) return fd;
  close(fd);
  return -1;
}

/* EAGAIN: it has to wait on. Else the call is answered, or an errno for it. */
static int try_open(const struct vt_waiter *waiter, int listener) {
  int fd = open_fifo(waiter);
  if (fd < 0) return errno == ENXIO ? EAGAIN : errno;
  vt_send_descriptor(listener, waiter->id, fd, waiter->flags);
  return 0;
}

/* A killed caller gets no lock, and an undeliverable reply releases it: others may share the open file. */
static int try_lock(const struct vt_waiter *waiter, int listener) {
  if (flock(waiter->fd, waiter->operation | LOCK_NB)) return errno;
  if (!vt_end_call(listener, waiter->id, 0)) flock(waiter->fd, LOCK_UN);
  return 0;
}

/*
 * Once received, a call is interrupted only by deadly signals (SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV), so this looks for
 * other pending ones (proc_pid_status(5)). A signal to the thread, or to a process with one thread, cannot be taken by
 * another thread; one to a larger process counts at the second look. Deadly ones reach each thread (complete_signal(),
 * kernel/signal.c). 0: none.
 */
int vt_wait_interruption(pid_t thread, bool *seen) {
  char status[8192];
  vt_procfs_read(thread, "status", status, sizeof status);
  uint64_t open = ~vt_bits_after(status, "\nSigBlk:");
  uint64_t own = vt_bits_after(status, "\nSigPnd:") & open, shared = vt_bits_after(status, "\nShdPnd:") & open;
  if (own || (shared && vt_number_after(status, "\nThreads:") == 1)) return RESTART;
  bool again = shared && *seen;
  *seen = shared != 0;
  return again ? EINTR : 0;
}

/* True if this waiter is done. */
static bool try(struct vt_waiter *waiter, int listener) {
  int error = vt_wait_interruption(waiter->thread, &waiter->signal_seen);
  if (!vt_call_still_waits(listener, waiter->id)) return true;
  if (!error) error = waiter->operation ? try_lock(waiter, listener) : try_open(waiter, listener);
  if (error && error != EAGAIN) vt_end_call(listener, waiter->id, error);
  if (error != EAGAIN) return true;
  waiter->due = vt_now() + waiter->pause;
  if (waiter->pause < LAST_PAUSE_MS) waiter->pause *= 2;
  return false;
}

static void end(struct vt_waiter **at) {
  struct vt_waiter *waiter = *at;
  *at = waiter->next;
  close(waiter->fd);
  free(waiter);
}

int vt_wait_try(struct vt_waiter **waiting, int listener) {
  int64_t now = vt_now(), next = INT64_MAX;
  for (struct vt_waiter **at = waiting; *at;) {
    if ((*at)->due <= now && try(*at, listener)) {
      end(at);
      continue;
    }
    if ((*at)->due < next) next = (*at)->due;
    at = &(*at)->next;
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
  if (!question) question = put(questions, path);
  if (question) wait_for(questions, question, notification);
  bool yes = question && question->answered && question->yes;
  pthread_mutex_unlock(&questions->lock);
  return yes;
}

bool vt_questions_allowed(struct vt_questions *questions, const char *path) {
  if (!questions) return false;
  pthread_mutex_lock(&questions->lock);
  const struct question *question = find(questions, path);
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
