/* One thread carries the tunnels of the proxy that move much. */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC, SCHED_BATCH */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"
#include "base/descriptors.h"
#include "base/threads.h"
#include "relay/way.h"

/* Each relay has six descriptors, and pipes of 256 pages of the 16384 that a user may have (fs.pipe-user-pages-soft). Further
 * tunnels stay with JavaScript. */
enum { RELAYS = 32, BATCH = 16, ROUNDS = 8 };

struct relay {
  uint32_t id; /* 0: free */
  struct vt_owner *owner;
  struct vt_way ways[2]; /* from the first socket to the second, and back */
  uint64_t room, low;    /* bytes that it may still take; fewer than `low`: it asks for more */
  bool open, asked, back_only;
};

/* `next` makes the lock fair: without it the thread, which takes it again at once, could keep the callers out. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, next = PTHREAD_MUTEX_INITIALIZER;
static struct vt_once once = VT_ONCE;
static struct relay relays[RELAYS]; /* never freed: an event of epoll may come late */
static int epoll_fd = -1;

static void take_lock(void) {
  pthread_mutex_lock(&next);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&next);
}

static void give_lock(void) { pthread_mutex_unlock(&lock); }

static int watch(struct relay *relay, int operation) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = relay};
  if (epoll_ctl(epoll_fd, operation, relay->ways[0].from, &event)) return -1;
  return epoll_ctl(epoll_fd, operation, relay->ways[0].to, &event);
}

/* Closed sockets stay in the epoll set as long as their originals are open (epoll(7)). */
static void shut(struct relay *relay) {
  if (!relay->open) return;
  relay->open = false;
  watch(relay, EPOLL_CTL_DEL);
  close(relay->ways[0].from);
  close(relay->ways[0].to);
  vt_way_close(&relay->ways[0]);
  vt_way_close(&relay->ways[1]);
}

static int move(struct relay *relay) {
  int there = vt_way_move(&relay->ways[0], &relay->room);
  int back = there < 0 ? -1 : vt_way_move(&relay->ways[1], &relay->room);
  return back < 0 ? -1 : there || back;
}

static bool is_done(const struct relay *relay) {
  const struct vt_way *back = &relay->ways[1];
  if (relay->back_only && relay->room == 0 && back->held == 0) return true;
  return relay->ways[0].done && back->done;
}

/* Stops after some rounds, so that each relay has its turn. */
static void serve(struct relay *relay) {
  int moved = 1;
  for (int round = 0; moved > 0 && round < ROUNDS; round++) moved = move(relay);
  if (moved < 0 || is_done(relay)) shut(relay);
  else if (moved > 0) watch(relay, EPOLL_CTL_MOD); /* makes epoll report it again */
  if (relay->open && (relay->asked || relay->back_only || relay->room >= relay->low)) return;
  relay->asked = true;
  relay->owner->relayed(relay->owner, relay->id, !relay->open);
}

/* SCHED_BATCH (sched(7)) keeps this thread from preempting the two programs between which it carries: it then moves more at
 * once. By number: in musl the function does nothing. */
static void *run(void *context) {
  struct epoll_event events[BATCH];
  const struct sched_param none = {0};
  syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &none);
  for (;;) {
    int count = epoll_wait(epoll_fd, events, BATCH, -1);
    for (int at = 0; at < count; at++) {
      struct relay *relay = events[at].data.ptr;
      take_lock();
      if (relay->open) serve(relay);
      give_lock();
    }
  }
  return context;
}

static int start(void) {
  if (epoll_fd < 0) epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  return epoll_fd < 0 ? -1 : vt_thread_try("vitrine-relay", run, NULL);
}

static struct relay *find(uint32_t id) {
  struct relay *relay = relays;
  while (relay < relays + RELAYS && relay->id != id) relay++;
  return relay < relays + RELAYS ? relay : NULL;
}

/* A congestion control that paces (tcp_bbr) costs a third of the speed on loopback; more than this unsent costs a tenth, as it
 * leaves the processor's cache. */
static void tune_for_loopback(int fd) {
  const int unsent = 256 * 1024;
  setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
  setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
}

/* Watches copies: JavaScript may close its own at any time. */
static int open_ways(struct relay *relay, const struct vt_relay_request *request) {
  int first = fcntl(request->first, F_DUPFD_CLOEXEC, 3), second = first < 0 ? -1 : fcntl(request->second, F_DUPFD_CLOEXEC, 3);
  if (second < 0) goto no_copies;
  if (vt_way_open(&relay->ways[0], first, second)) goto no_copies;
  if (vt_way_open(&relay->ways[1], second, first)) goto no_way_back;
  return 0;
no_way_back:
  vt_way_close(&relay->ways[0]);
no_copies:
  if (first >= 0) vt_close(first);
  if (second >= 0) vt_close(second);
  return -1;
}

static int begin(struct relay *relay, const struct vt_relay_request *request) {
  *relay = (struct relay){.owner = request->owner, .room = request->room, .low = request->room / 2 + 1, .back_only = request->back_only};
  if (open_ways(relay, request)) return errno;
  tune_for_loopback(relay->ways[0].from);
  relay->ways[0].read_all = relay->ways[0].done = request->back_only;
  relay->id = request->id;
  relay->open = true;
  if (watch(relay, EPOLL_CTL_ADD) == 0) return 0;
  int error = errno;
  shut(relay);
  relay->id = 0;
  return error;
}

int vt_core_relay(const struct vt_relay_request *request) {
  if (vt_start_once(&once, start)) return errno;
  take_lock();
  struct relay *relay = find(0);
  int error = relay ? begin(relay, request) : EBUSY;
  give_lock();
  return error;
}

void vt_core_relay_more(uint32_t id, uint64_t bytes) {
  take_lock();
  struct relay *relay = find(id);
  if (relay && relay->open) {
    relay->room += bytes;
    relay->asked = false;
    watch(relay, EPOLL_CTL_MOD);
  }
  give_lock();
}

static void end(struct relay *relay) {
  shut(relay);
  relay->owner->release(relay->owner);
  relay->id = 0;
}

struct vt_relayed vt_core_end_relay(uint32_t id) {
  struct vt_relayed moved = {0, 0};
  take_lock();
  struct relay *relay = find(id);
  if (relay) {
    moved = (struct vt_relayed){relay->ways[0].moved, relay->ways[1].moved};
    end(relay);
  }
  give_lock();
  return moved;
}

void vt_core_end_relays_of(const struct vt_owner *owner) {
  take_lock();
  for (struct relay *relay = relays; relay < relays + RELAYS; relay++)
    if (relay->id && relay->owner == owner) end(relay);
  give_lock();
}
