#define _GNU_SOURCE
#include "notify/handlers/questions.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/basics.h"
#include "base/command.h"
#include "base/threads.h"
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
  struct pollfd polled = {notification->listener_fd, 0, 0};
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
