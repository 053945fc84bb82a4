#define _GNU_SOURCE
#include "base/command.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/basics.h"
#include "confine/confine.h"

void vt_command_free(struct vt_command *command) {
  if (command->confinement) vt_confinement_release(command->confinement);
  free(command->strings);
  free(command->candidates);
  free(command->argv);
  free(command->envp);
  free(command->places);
  free(command->writable);
  free(command);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_message *first, **last = &first;
static int wake_fd = -1;

int vt_mailbox_open(void) {
  if (wake_fd < 0) wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return wake_fd;
}

void vt_mailbox_post(struct vt_message order, bool wake) {
  struct vt_message *copy = vt_must(malloc(sizeof *copy));
  *copy = order;
  copy->next = NULL;
  pthread_mutex_lock(&lock);
  *last = copy;
  last = &copy->next;
  pthread_mutex_unlock(&lock);
  if (wake) vt_mailbox_wake();
}

void vt_mailbox_wake(void) {
  uint64_t one = 1;
  if (write(wake_fd, &one, sizeof one) < 0) return; /* EAGAIN: it wakes anyway */
}

struct vt_message *vt_mailbox_take(void) {
  uint64_t count;
  if (read(wake_fd, &count, sizeof count) < 0) count = 0; /* EAGAIN: no wake-up is pending */
  pthread_mutex_lock(&lock);
  struct vt_message *orders = first;
  first = NULL;
  last = &first;
  pthread_mutex_unlock(&lock);
  return orders;
}
