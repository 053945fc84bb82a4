#define _GNU_SOURCE
#include "notify/workspace_server.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/procfs.h"
#include "base/threads.h"
#include "confine/confinement.h"
#include "notify/caller/borrow_fd.h"
#include "notify/dispatch.h"
#include "notify/handlers/fifo_wait.h"
#include "notify/notify_threads.h"
#include "notify/reply.h"
#include "workspace/workspace.h"

struct vt_workspace_server {
  pthread_mutex_t lock;
  pthread_cond_t handed;
  bool over;                 /* the launch is over; with a listener it succeeded */
  struct vt_listener *listener; /* a reference */
  int listener_fd, *roots;   /* in the thread's own table */
  struct vt_notification notification;
  struct vt_fifo_waiter *fifos;
};

/* Looking at processes is all that it may do beyond its command. Effective only: ptrace access checks compare with the rest. */
static bool reduce_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data)) return false;
  data[0].effective &= 1u << CAP_SYS_PTRACE | 1u << CAP_DAC_READ_SEARCH;
  data[1].effective = 0;
  return syscall(SYS_capset, &header, data) == 0; /* of the calling thread: capset(2) */
}

static bool take_roots(struct vt_workspace_server *server) {
  const struct vt_workspace *workspace = server->listener->confinement->workspace;
  server->roots = calloc(workspace->count, sizeof *server->roots);
  if (!server->roots) abort();
  for (size_t i = 0; i < workspace->count; i++)
    if ((server->roots[i] = vt_borrow_own(workspace->roots[i].fd)) < 0) return false;
  return true;
}

static bool set_up(struct vt_workspace_server *server) {
  if (vt_borrow_separate_table() || unshare(CLONE_FS) || !reduce_capabilities()) return false;
  server->listener_fd = vt_borrow_own(server->listener->fd);
  return server->listener_fd >= 0 && take_roots(server);
}

/* True: the call is answered once its FIFO has a reader. */
static bool wait_for_reader(struct vt_workspace_server *server) {
  int fifo = server->notification.fifo;
  if (fifo < 0 || vt_fifo_wait_add(&server->fifos, &server->notification)) return fifo >= 0;
  close(fifo);
  return false;
}

/* False: hung up, no process is left under the filter. */
static bool answer_next(struct vt_workspace_server *server) {
  struct pollfd polled = {server->listener_fd, POLLIN, 0};
  struct seccomp_notif notif;
  int ready = poll(&polled, 1, vt_fifo_wait_try(&server->fifos, server->listener_fd));
  if (ready <= 0) return ready == 0 || errno == EINTR;
  if (!(polled.revents & POLLIN)) return false;
  memset(&notif, 0, sizeof notif); /* must be zeroed, else EINVAL (seccomp_unotify(2)) */
  if (ioctl(server->listener_fd, SECCOMP_IOCTL_NOTIF_RECV, &notif)) return true; /* its caller was killed meanwhile */
  __atomic_store_n(&server->listener->called, true, __ATOMIC_RELAXED);
  vt_notification_begin(&server->notification, &notif, server->listener);
  server->notification.listener_fd = server->listener_fd;
  server->notification.roots = server->roots;
  vt_dispatch(&server->notification);
  if (wait_for_reader(server)) return true;
  vt_reply(server->listener, &server->notification);
  return true;
}

static struct vt_listener *await_listener(struct vt_workspace_server *server) {
  pthread_mutex_lock(&server->lock);
  while (!server->over) pthread_cond_wait(&server->handed, &server->lock);
  pthread_mutex_unlock(&server->lock);
  return server->listener;
}

/* Its own table is closed with the thread. Where it cannot be set up (no descriptor left), the notifiers answer: they carry
 * nothing out, so what Landlock does not grant is refused. */
static void *serve(void *context) {
  struct vt_workspace_server *server = context;
  if (await_listener(server)) {
    if (set_up(server))
      while (answer_next(server)) continue;
    else
      vt_notifier_add(server->listener);
    vt_fifo_wait_drop(&server->fifos);
    vt_caller_forget(&server->notification.known);
    vt_listener_release(server->listener);
  }
  free(server->roots);
  free(server);
  return NULL;
}

struct vt_workspace_server *vt_workspace_server_start(void) {
  struct vt_workspace_server *server = calloc(1, sizeof *server);
  if (!server) abort();
  pthread_mutex_init(&server->lock, NULL);
  pthread_cond_init(&server->handed, NULL);
  if (vt_thread_try("vitrine-work", serve, server) == 0) return server;
  free(server);
  return NULL;
}

void vt_workspace_server_serve(struct vt_workspace_server *server, struct vt_listener *listener) {
  if (listener) vt_listener_retain(listener);
  pthread_mutex_lock(&server->lock);
  server->listener = listener;
  server->over = true;
  pthread_cond_signal(&server->handed);
  pthread_mutex_unlock(&server->lock);
}

static bool take_umask(const struct vt_notification *notification) {
  const struct vt_listener *listener = notification->listener;
  bool varies = __atomic_load_n(&listener->umask_varies, __ATOMIC_RELAXED);
  int mask = varies ? vt_procfs_umask(notification->caller.thread) : (int)listener->umask;
  if (mask >= 0) umask((mode_t)mask);
  return mask >= 0;
}

bool vt_workspace_server_may_act(const struct vt_notification *notification) {
  return notification->roots && take_umask(notification) && vt_caller_still_waits(notification);
}
