#define _GNU_SOURCE
#include "notify/notifiers.h"

#include <linux/futex.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/command.h"
#include "base/basics.h"
#include "base/threads.h"
#include "confine/capabilities.h"
#include "confine/confinement.h"
#include "notify/caller/caller.h"
#include "notify/dispatch.h"
#include "notify/sockets/sockets.h"
#include "notify/caller/place.h"
#include "workspace/workspace.h"

struct vt_workspace_server {
  struct vt_workspace_server *next; /* in the list of spares, or of those that ended */
  pthread_mutex_t lock;
  pthread_cond_t handed;
  bool ends;                 /* without a listener */
  struct vt_listener *listener; /* a reference; NULL: the thread waits for one */
  int listener_fd, *roots;   /* in the table of the thread that acts */
  bool served, receiving_ends;
  uint32_t acts;             /* the thread that acts exists: a futex(2) */
  struct vt_notification notification;
  struct vt_waiter *waiting;
  struct vt_sockets sockets;
  struct vt_known known;
};

/* Listener, roots, mailbox and the ruleset for reading keep their numbers; others are closed, else a pipe of the host would stay
 * open. */
static bool separate_table(struct vt_workspace_server *server) {
  const struct vt_workspace *workspace = server->listener->confinement->workspace;
  size_t count = workspace ? workspace->count : 0;
  int *kept = vt_must(calloc(count + 3, sizeof *kept)), reading = server->listener->confinement->reading;
  server->roots = workspace ? vt_must(calloc(count, sizeof *server->roots)) : NULL;
  for (size_t i = 0; i < count; i++) kept[i] = server->roots[i] = workspace->roots[i].fd;
  kept[count++] = server->listener_fd = server->listener->fd;
  kept[count++] = vt_mailbox_open(); /* to wake the supervisor */
  if (reading >= 0) kept[count++] = reading; /* vt_as_reader_open() */
  int failed = vt_borrow_table_of(kept, count);
  free(kept);
  return failed == 0;
}

/* The kept capabilities are those to inspect processes, and to bind the ports that the host may bind. */
static bool set_up(struct vt_workspace_server *server) {
  enum { KEPT = 1 << CAP_SYS_PTRACE | 1 << CAP_DAC_READ_SEARCH | 1 << CAP_NET_BIND_SERVICE };
  server->sockets = (struct vt_sockets){.netlink = -1};
  return vt_capabilities_lower(KEPT, NULL) == 0 && separate_table(server);
}

/* Waits for a call or `milliseconds` (-1: without end). The events; 0: none. */
static int await_call(const struct vt_workspace_server *server, int milliseconds) {
  struct pollfd polled = {server->listener_fd, POLLIN, 0};
  return poll(&polled, 1, milliseconds) > 0 ? polled.revents : 0;
}

/* kernel/seccomp.c, 6.11: receiving ends with ENOENT when no process is left under the filter. Before, only poll(2) tells. */
static bool receiving_ends(void) {
  struct utsname system;
  int major = 0, minor = 0;
  if (uname(&system) == 0) sscanf(system.release, "%d.%d", &major, &minor);
  return major > 6 || (major == 6 && minor >= 11);
}

/* Milliseconds until a waiting call has to be looked at again; -1: none waits. */
static int look_at_waiting(struct vt_workspace_server *server) {
  int waiting = vt_wait_try(&server->waiting, server->listener_fd);
  int sockets = server->sockets.connecting ? vt_sockets_watch(&server->notification) : -1;
  return waiting < 0 || (sockets >= 0 && sockets < waiting) ? sockets : waiting;
}

/* False: hung up, no process is left under the filter. */
static bool answer_next(struct vt_workspace_server *server) {
  int next_try = look_at_waiting(server);
  if (next_try >= 0 || !server->receiving_ends) {
    int events = await_call(server, next_try);
    if (!(events & POLLIN)) return !events;
  }
  if (!vt_notification_receive(&server->notification, server->listener, server->listener_fd))
    return !(await_call(server, 0) & ~POLLIN);
  server->notification.roots = server->roots;
  server->notification.known_directories = server->roots ? &server->known : NULL;
  server->notification.sockets = server->listener->world ? &server->sockets : NULL;
  vt_dispatch(&server->notification);
  if (server->notification.deferred || vt_wait_add(&server->waiting, &server->notification)) return true;
  vt_reply(&server->notification);
  return true;
}

static struct vt_listener *await_listener(struct vt_workspace_server *server) {
  pthread_mutex_lock(&server->lock);
  while (!server->ends && !server->listener) pthread_cond_wait(&server->handed, &server->lock);
  pthread_mutex_unlock(&server->lock);
  return server->listener;
}

/* Its descriptor table is closed when the thread ends. */
static int act(void *context) {
  struct vt_workspace_server *server = context;
  server->served = set_up(server);
  if (!server->served) return 0;
  server->receiving_ends = receiving_ends();
  while (answer_next(server)) continue;
  vt_wait_drop(&server->waiting);
  vt_sockets_drop(&server->sockets);
  vt_known_forget(&server->known);
  vt_caller_forget(&server->notification.known);
  return 0;
}

/* Where unshare(2) is refused, as in containers, a thread cloned without CLONE_FS also has its own umask. libc does not know that
 * thread: it uses this one's thread-local storage, so this one only waits for its end. */
static void act_apart(struct vt_workspace_server *server) {
  enum { STACK = 256 * 1024, FLAGS = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID };
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return;
  mprotect(stack, 4096, PROT_NONE);
  server->acts = 1;
  if (clone(act, stack + STACK, FLAGS, server, NULL, NULL, &server->acts) > 0)
    while (__atomic_load_n(&server->acts, __ATOMIC_ACQUIRE)) syscall(SYS_futex, &server->acts, FUTEX_WAIT, 1, NULL, NULL, 0);
  munmap(stack, STACK);
}

static pthread_mutex_t ended_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_workspace_server *ended; /* atomic */

/* The last reference to the listener closes descriptors of the host, which this thread's own table only has copies of. */
static void leave_to_supervisor(struct vt_workspace_server *server) {
  pthread_mutex_lock(&ended_lock);
  server->next = ended;
  __atomic_store_n(&ended, server, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&ended_lock);
  vt_mailbox_wake();
}

static void discard(struct vt_workspace_server *server) {
  if (server->listener) vt_listener_release(server->listener);
  free(server->roots);
  free(server);
}

void vt_workspace_server_reap(void) {
  if (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) return;
  pthread_mutex_lock(&ended_lock);
  struct vt_workspace_server *server = ended;
  __atomic_store_n(&ended, NULL, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&ended_lock);
  for (struct vt_workspace_server *next; server; server = next) {
    next = server->next;
    discard(server);
  }
}

/* Where the thread that acts cannot be set up, the notifiers answer: they carry nothing out, so what Landlock does not grant is
 * refused. */
static void *serve(void *context) {
  struct vt_workspace_server *server = context;
  if (!await_listener(server)) return discard(server), NULL;
  if (unshare(CLONE_FS) == 0) act(server);
  else act_apart(server);
  if (!server->served) vt_dispatch_all(server->listener, server->listener->fd, false);
  leave_to_supervisor(server);
  return NULL;
}

/* Threads of commands that made no calls: they wait with nothing of those commands. */
enum { MOST_SPARES = 8 };
static pthread_mutex_t spares_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_workspace_server *spares;
static int spare_count;

static struct vt_workspace_server *take_spare(void) {
  pthread_mutex_lock(&spares_lock);
  struct vt_workspace_server *server = spares;
  if (server) spares = server->next, spare_count--;
  pthread_mutex_unlock(&spares_lock);
  return server;
}

static struct vt_workspace_server *start(void) {
  struct vt_workspace_server *server = vt_must(calloc(1, sizeof *server));
  pthread_mutex_init(&server->lock, NULL);
  pthread_cond_init(&server->handed, NULL);
  if (vt_thread_try("vitrine-work", serve, server) == 0) return server;
  free(server);
  return NULL;
}

struct vt_workspace_server *vt_workspace_server_reserve(void) {
  struct vt_workspace_server *spare = take_spare();
  return spare ? spare : start();
}

static void hand(struct vt_workspace_server *server, struct vt_listener *listener) {
  pthread_mutex_lock(&server->lock);
  server->listener = listener;
  server->ends = !listener;
  pthread_cond_signal(&server->handed);
  pthread_mutex_unlock(&server->lock);
}

void vt_workspace_server_serve(struct vt_listener *listener) {
  struct vt_workspace_server *server = listener->server;
  listener->server = NULL;
  hand(server, listener);
}

void vt_workspace_server_return(struct vt_workspace_server *server) {
  pthread_mutex_lock(&spares_lock);
  bool kept = spare_count < MOST_SPARES;
  if (kept) server->next = spares, spares = server, spare_count++;
  pthread_mutex_unlock(&spares_lock);
  if (!kept) hand(server, NULL);
}
