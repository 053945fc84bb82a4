#define _GNU_SOURCE
#include "workspace/questions.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mailbox.h"
#include "notify/notification.h"
#include "notify/reply.h"

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
  struct vt_questions *questions = calloc(1, sizeof *questions);
  if (!questions) abort();
  pthread_mutex_init(&questions->lock, NULL);
  pthread_cond_init(&questions->answered, NULL);
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

static char *copy_of(const char *text) {
  char *copy = strdup(text);
  if (!copy) abort();
  return copy;
}

static struct question *put(struct vt_questions *questions, const char *path) {
  struct question *question = &questions->asked[questions->count];
  if (questions->count == MOST_QUESTIONS) return NULL;
  question->path = copy_of(path);
  vt_mailbox_post((struct vt_message){.kind = VT_MESSAGE_ASK, .id = questions->id, .value = questions->count++, .text = copy_of(path)}, true);
  return question;
}

static bool is_over(const struct vt_notification *notification) {
  struct pollfd polled = {notification->listener_fd, 0, 0};
  return poll(&polled, 1, 0) > 0 || !vt_caller_still_waits(notification);
}

/* Called with the lock held. */
static void wait_for(struct vt_questions *questions, const struct question *question, const struct vt_notification *notification) {
  while (!question->answered && !is_over(notification)) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NS;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&questions->answered, &questions->lock, &until);
  }
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
