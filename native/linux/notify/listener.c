#define _GNU_SOURCE
#include "notify/listener.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "notify/fsize.h"
#include "notify/world/world.h"
#include "notify/handlers/questions.h"
#include "base/command.h"
#include "base/files.h"
#include "confine/confine.h"
#include "supervise/supervise.h"
#include "base/basics.h"

/* linux/seccomp.h, 6.6: wakes the notifier on the caller's processor, 4 us a call instead of 30. May fail on older kernels. */
#define NOTIF_SET_FLAGS _IOW('!', 4, uint64_t)
enum { SYNC_WAKE_UP = 1 };

static char **services_of(const struct vt_command *command) {
  const char **services = vt_places_of(command->places, VT_SERVICE);
  char **copy = vt_must(vt_paths_copy(services));
  free(services);
  return copy;
}

struct vt_listener *vt_listener_open(const struct vt_command *command, struct vt_source *source) {
  struct vt_listener *listener = vt_must(calloc(1, sizeof *listener));
  listener->references = 1;
  listener->fd = command->listener_fd;
  listener->session = command->pid;
  listener->mark = command->mark;
  listener->proxy = command->proxy;
  listener->network = command->network;
  if (command->world) listener->world = vt_world_enter(command->world);
  if (command->world && command->proxy.port) listener->services = services_of(command);
  listener->most_file_bytes = vt_fsize_most(command);
  listener->confinement = command->confinement;
  listener->server = command->server;
  listener->umask = command->umask;
  if (command->asks) listener->questions = vt_questions_open(command->id);
  pthread_mutex_init(&listener->lock, NULL);
  vt_confinement_retain(listener->confinement);
  ioctl(listener->fd, NOTIF_SET_FLAGS, (unsigned long)SYNC_WAKE_UP);
  vt_event_loop_add_hang_up(listener->fd, source);
  return listener;
}

int vt_listener_events(const struct vt_listener *listener) {
  struct pollfd polled = {listener->fd, POLLIN, 0};
  return poll(&polled, 1, 0) > 0 ? polled.revents : 0;
}

void vt_listener_close(struct vt_listener *listener) {
  pthread_mutex_lock(&listener->lock);
  listener->closed = true;
  vt_event_loop_remove(listener->fd);
  pthread_mutex_unlock(&listener->lock);
  vt_listener_release(listener);
}

bool vt_listener_is_closed(struct vt_listener *listener) {
  pthread_mutex_lock(&listener->lock);
  bool closed = listener->closed;
  pthread_mutex_unlock(&listener->lock);
  return closed;
}

void vt_listener_retain(struct vt_listener *listener) { __atomic_add_fetch(&listener->references, 1, __ATOMIC_RELAXED); }

void vt_listener_release(struct vt_listener *listener) {
  if (__atomic_sub_fetch(&listener->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  close(listener->fd);
  vt_confinement_release(listener->confinement);
  vt_denials_free(listener->denials);
  free(listener->open_ports);
  free(listener->services);
  vt_notes_free(listener->notes);
  vt_questions_free(listener->questions);
  if (listener->world) vt_world_leave(listener->world);
  pthread_mutex_destroy(&listener->lock);
  free(listener);
}

static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_listener *left;

void vt_listener_leave(struct vt_listener *listener) {
  pthread_mutex_lock(&left_lock);
  listener->next = left;
  left = listener;
  pthread_mutex_unlock(&left_lock);
  vt_mailbox_wake();
}

void vt_listener_reap(void) {
  pthread_mutex_lock(&left_lock);
  struct vt_listener *listener = left;
  left = NULL;
  pthread_mutex_unlock(&left_lock);
  for (struct vt_listener *next; listener; listener = next) {
    next = listener->next;
    vt_listener_release(listener);
  }
}

void vt_listener_count(struct vt_listener *listener, const struct vt_denial *refused) {
  pthread_mutex_lock(&listener->lock);
  if (!listener->denials) listener->denials = vt_must(calloc(1, sizeof *listener->denials));
  if (!listener->closed) vt_denials_count(listener->denials, refused);
  pthread_mutex_unlock(&listener->lock);
}

struct vt_denials *vt_listener_take(struct vt_listener *listener) {
  pthread_mutex_lock(&listener->lock);
  struct vt_denials *denials = listener->denials;
  listener->denials = NULL;
  pthread_mutex_unlock(&listener->lock);
  return denials;
}

struct vt_open_port *vt_listener_take_ports(struct vt_listener *listener) {
  pthread_mutex_lock(&listener->lock);
  struct vt_open_port *ports = listener->open_ports;
  listener->open_ports = NULL;
  pthread_mutex_unlock(&listener->lock);
  return ports;
}

struct vt_notes *vt_listener_take_notes(struct vt_listener *listener) {
  pthread_mutex_lock(&listener->lock);
  struct vt_notes *notes = listener->notes;
  listener->notes = NULL;
  pthread_mutex_unlock(&listener->lock);
  return notes;
}
