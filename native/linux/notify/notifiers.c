#define _GNU_SOURCE
#include "notify/notifiers.h"

#include <linux/capability.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/command.h"
#include "base/kernel.h"
#include "base/threads.h"
#include "confine/capabilities.h"
#include "confine/confinement.h"
#include "notify/caller/caller.h"
#include "notify/caller/place.h"
#include "notify/dispatch.h"
#include "notify/sockets/sockets.h"
#include "workspace/workspace.h"

/* Threads that wait beyond those that are reserved end. */
enum { MOST_SPARES = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all below */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct vt_listener *called; /* for as many threads, each with a reference */
static int spares, reserved;       /* threads that wait beside these; those that commands have reserved */

static void *serve(void *unused);

/* Under the lock. Not by a notifier: a new thread has the descriptors and capabilities of the one that starts it. */
static int have(int wanted) {
  while (spares < wanted) {
    if (vt_thread_try("vitrine-notify", serve, NULL)) return -1;
    spares++;
  }
  return 0;
}

int vt_notifier_reserve(bool own) {
  pthread_mutex_lock(&lock);
  int failed = have(reserved + 1 + own);
  if (!failed) reserved += own;
  pthread_mutex_unlock(&lock);
  return failed;
}

void vt_notifier_return(void) {
  pthread_mutex_lock(&lock);
  reserved--;
  if (spares > reserved + MOST_SPARES) pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

static bool call_one(struct vt_listener *listener, bool own) {
  pthread_mutex_lock(&lock);
  if (own) reserved--;
  bool had = have(reserved + 1) == 0;
  if (had) {
    vt_listener_retain(listener);
    listener->next = called;
    called = listener;
    spares--;
    pthread_cond_signal(&changed);
  }
  pthread_mutex_unlock(&lock);
  return had;
}

/* The next command should find one. */
static void replace_one(void) {
  pthread_mutex_lock(&lock);
  have(reserved + 1);
  pthread_mutex_unlock(&lock);
}

bool vt_notifier_start(struct vt_listener *listener, bool own) {
  bool started = call_one(listener, own);
  if (started) replace_one();
  return started;
}

/* NULL: there are enough without this thread. */
static struct vt_listener *await_call(void) {
  pthread_mutex_lock(&lock);
  while (!called && spares <= reserved + MOST_SPARES) pthread_cond_wait(&changed, &lock);
  struct vt_listener *listener = called;
  if (listener) called = listener->next;
  else spares--;
  pthread_mutex_unlock(&lock);
  return listener;
}

struct server {
  struct vt_listener *listener;
  int *roots; /* of the workspace; NULL: none */
  bool apart; /* it has been set up */
  uint32_t runs; /* the thread that acts exists: a futex(2) */
  struct vt_notification notification;
  struct vt_waiter *waiting;
  struct vt_sockets sockets;
  struct vt_known known;
};

static bool carries_out(const struct vt_listener *listener) { return listener->confinement->workspace || listener->world; }

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Gives this thread a descriptor table of its own with only these. -1 and errno. */
static int keep_only(int *kept, size_t count) {
  qsort(kept, count, sizeof *kept, by_number);
  unsigned from = (unsigned)kept[count - 1] + 1;
  if (syscall(NR_CLOSE_RANGE, from, ~0u, RANGE_UNSHARE)) return -1;
  from = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned fd = (unsigned)kept[i];
    if (fd > from && syscall(NR_CLOSE_RANGE, from, fd - 1, 0)) return -1;
    from = fd + 1;
  }
  return 0;
}

/* Listener, roots, mailbox and the ruleset for reading keep their numbers; others are closed, else a pipe of the host would stay
 * open. */
static bool separate_table(struct server *server) {
  const struct vt_workspace *workspace = server->listener->confinement->workspace;
  size_t count = workspace ? workspace->count : 0;
  int *kept = vt_must(calloc(count + 3, sizeof *kept)), reading = server->listener->confinement->reading;
  if (workspace) server->roots = vt_must(calloc(count, sizeof *server->roots));
  for (size_t i = 0; i < count; i++) kept[i] = server->roots[i] = workspace->roots[i].fd;
  kept[count++] = server->listener->fd;
  kept[count++] = vt_mailbox_open(); /* to wake the supervisor */
  if (reading >= 0) kept[count++] = reading; /* vt_as_reader_open() */
  int failed = keep_only(kept, count);
  free(kept);
  return failed == 0;
}

/* The kept capabilities are those to inspect processes, and to bind the ports that the host may bind. A notifier that carries nothing
 * out keeps all: with them it tells what the host itself could change. */
static bool set_up(struct server *server) {
  enum { KEPT = 1 << CAP_SYS_PTRACE | 1 << CAP_DAC_READ_SEARCH | 1 << CAP_NET_BIND_SERVICE };
  if (!carries_out(server->listener)) return separate_table(server);
  return vt_capabilities_lower(KEPT, NULL) == 0 && separate_table(server);
}

/* What has not been set up carries nothing out: what Landlock does not grant is refused. */
static void lend(struct server *server, struct vt_notification *notification) {
  notification->waiting = &server->waiting;
  notification->apart = server->apart;
  if (!server->apart) return;
  notification->roots = server->roots;
  if (server->roots) notification->known_directories = &server->known;
  if (server->listener->world) notification->sockets = &server->sockets;
}

/* False: hung up, no process is left under the filter. */
static bool answer_next(struct server *server) {
  struct vt_notification *notification = &server->notification;
  struct pollfd polled = {server->listener->fd, POLLIN, 0};
  if (poll(&polled, 1, vt_wait_try(&server->waiting, notification)) <= 0) return true;
  if (!(polled.revents & POLLIN)) return false;
  if (!vt_notification_receive(notification, server->listener)) return true;
  lend(server, notification);
  vt_dispatch(notification);
  if (!notification->deferred) vt_reply(notification);
  return true;
}

static void answer(struct server *server) {
  while (answer_next(server)) continue;
  vt_wait_drop(&server->waiting);
  if (server->sockets.netlink >= 0) close(server->sockets.netlink);
  vt_known_forget(&server->known);
}

/* Its descriptor table is closed when the thread ends. */
static int act(void *context) {
  struct server *server = context;
  server->apart = set_up(server);
  if (server->apart) answer(server);
  return 0;
}

/* Where unshare(2) is refused, as in containers, a thread cloned without CLONE_FS also has its own umask. libc does not know that
 * thread: it uses this one's thread-local storage, so this one only waits for its end. */
static void act_apart(struct server *server) {
  enum { STACK = 256 * 1024, FLAGS = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID };
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return;
  mprotect(stack, 4096, PROT_NONE);
  server->runs = 1;
  if (clone(act, stack + STACK, FLAGS, server, NULL, NULL, &server->runs) > 0)
    while (__atomic_load_n(&server->runs, __ATOMIC_ACQUIRE)) syscall(SYS_futex, &server->runs, FUTEX_WAIT, 1, NULL, NULL, 0);
  munmap(stack, STACK);
}

/* The supervisor releases the listener: the last reference closes descriptors of the host, which this thread's own table only has copies
 * of. */
static void *serve(void *unused) {
  (void)unused;
  struct vt_listener *listener = await_call();
  if (!listener) return NULL;
  struct server *server = vt_must(calloc(1, sizeof *server));
  server->listener = listener;
  server->sockets.netlink = -1;
  if (!carries_out(listener) || unshare(CLONE_FS) == 0) act(server);
  else act_apart(server);
  if (!server->apart) answer(server);
  free(server->roots);
  free(server);
  vt_mailbox_post((struct vt_message){.kind = VT_MESSAGE_RELEASE, .listener = listener}, true);
  return NULL;
}
