#define _GNU_SOURCE
#include "docket.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "file_size.h"
#include "policy.h"
#include "poller.h"

/* linux/seccomp.h, 6.6: a wake-up on the caller's processor, 4 us a call instead of 30. An older kernel does without. */
#define NOTIF_SET_FLAGS _IOW('!', 4, uint64_t)
enum { SYNC_WAKE_UP = 1 };

struct vt_docket *vt_docket_open(const struct vt_command *command, struct vt_source *source) {
  struct vt_docket *docket = calloc(1, sizeof *docket);
  if (!docket) abort();
  docket->references = 1;
  docket->listener = command->listener;
  docket->session = command->pid;
  docket->most_file_bytes = vt_file_size_most(command);
  docket->policy = command->policy;
  pthread_mutex_init(&docket->lock, NULL);
  vt_policy_retain(docket->policy);
  ioctl(docket->listener, NOTIF_SET_FLAGS, (unsigned long)SYNC_WAKE_UP);
  vt_poller_add_hang_up(docket->listener, source);
  return docket;
}

int vt_docket_events(const struct vt_docket *docket) {
  struct pollfd polled = {docket->listener, POLLIN, 0};
  return poll(&polled, 1, 0) > 0 ? polled.revents : 0;
}

void vt_docket_close(struct vt_docket *docket) {
  pthread_mutex_lock(&docket->lock);
  docket->closed = true;
  vt_poller_remove(docket->listener);
  pthread_mutex_unlock(&docket->lock);
  vt_docket_release(docket);
}

void vt_docket_retain(struct vt_docket *docket) { __atomic_add_fetch(&docket->references, 1, __ATOMIC_RELAXED); }

void vt_docket_release(struct vt_docket *docket) {
  if (__atomic_sub_fetch(&docket->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  close(docket->listener);
  vt_policy_release(docket->policy);
  vt_denials_free(docket->denials);
  pthread_mutex_destroy(&docket->lock);
  free(docket);
}

void vt_docket_count(struct vt_docket *docket, const struct vt_denial *refused) {
  pthread_mutex_lock(&docket->lock);
  if (!docket->denials) docket->denials = calloc(1, sizeof *docket->denials);
  if (!docket->denials) abort(); /* a refusal that is not counted would be a lie */
  if (!docket->closed) vt_denials_count(docket->denials, refused);
  pthread_mutex_unlock(&docket->lock);
}

struct vt_denials *vt_docket_take(struct vt_docket *docket) {
  pthread_mutex_lock(&docket->lock);
  struct vt_denials *denials = docket->denials;
  docket->denials = NULL;
  pthread_mutex_unlock(&docket->lock);
  return denials;
}
