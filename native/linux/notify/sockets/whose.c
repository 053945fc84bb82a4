#define _GNU_SOURCE
#include "notify/sockets/whose.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basics.h"
#include "notify/world/world.h"

enum { FIRST_ROOM = 64, CROWD = 512 };

struct question {
  struct nlmsghdr header;
  struct inet_diag_req_v2 request;
};

int vt_whose_open(void) { return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG); }

const void *vt_diag_body(const struct nlmsghdr *message, unsigned type, size_t size) {
  return message->nlmsg_type == type && message->nlmsg_len >= NLMSG_LENGTH(size) ? NLMSG_DATA(message) : NULL;
}

ssize_t vt_diag_ask(int netlink, struct nlmsghdr *question, union vt_diag_reply *reply) {
  static uint32_t last;
  question->nlmsg_seq = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
  if (send(netlink, question, question->nlmsg_len, 0) != (ssize_t)question->nlmsg_len) return -1;
  for (ssize_t length; (length = recv(netlink, reply, sizeof *reply, 0)) > 0;)
    if (NLMSG_OK(&reply->header, length) && reply->header.nlmsg_seq == question->nlmsg_seq) return length;
  return -1;
}

/* False: the dump is over, or has failed. */
static bool visit_all(const union vt_diag_reply *reply, ssize_t left, vt_diag_visit each, void *context, bool *whole) {
  const struct nlmsghdr *message = &reply->header;
  for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left)) {
    if (message->nlmsg_type == NLMSG_DONE) return *whole = true, false;
    if (message->nlmsg_type != SOCK_DIAG_BY_FAMILY) return false;
    each(message, context);
  }
  return true;
}

bool vt_diag_dump(int netlink, struct nlmsghdr *question, vt_diag_visit each, void *context) {
  union vt_diag_reply reply;
  bool whole = false;
  for (ssize_t length = vt_diag_ask(netlink, question, &reply); length > 0 && visit_all(&reply, length, each, context, &whole);)
    length = recv(netlink, &reply, sizeof reply, 0);
  return whole;
}

static bool has(const struct vt_cookies *cookies, uint64_t cookie) {
  for (size_t i = 0; i < cookies->count; i++)
    if (cookies->all[i] == cookie) return true;
  return false;
}

static void add(struct vt_cookies *cookies, uint64_t cookie) {
  if (has(cookies, cookie)) return;
  if (cookies->count == cookies->room) {
    cookies->room = cookies->room ? cookies->room * 2 : FIRST_ROOM;
    cookies->all = vt_must(realloc(cookies->all, cookies->room * sizeof *cookies->all));
  }
  cookies->all[cookies->count++] = cookie;
}

static struct question question_about(int family, uint16_t flags, uint32_t states) {
  return (struct question){
      .header = {sizeof(struct question), SOCK_DIAG_BY_FAMILY, (uint16_t)(NLM_F_REQUEST | flags), 0, 0},
      .request = {.sdiag_family = (uint8_t)family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = states,
                  .id.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}},
  };
}

static uint64_t cookie_of(const struct inet_diag_msg *found) {
  return (uint64_t)found->id.idiag_cookie[1] << 32 | found->id.idiag_cookie[0];
}

/* Port 0 as the client's: no connection has it, so a listening socket is found. A request names addresses as the packet to the
 * listening socket would (net/ipv4/inet_diag.c, inet_diag_find_one_icsk). */
static struct question question_at(const union vt_address *plain, int device) {
  struct question question = question_about(plain->any.sa_family, 0, UINT32_MAX);
  struct inet_diag_sockid *id = &question.request.id;
  id->idiag_sport = plain->in.sin_port;
  id->idiag_if = (uint32_t)device;
  if (plain->any.sa_family == AF_INET) {
    id->idiag_src[0] = plain->in.sin_addr.s_addr;
    id->idiag_dst[0] = htonl(INADDR_LOOPBACK);
  } else {
    memcpy(id->idiag_src, &plain->in6.sin6_addr, sizeof plain->in6.sin6_addr);
    memcpy(id->idiag_dst, &in6addr_loopback, sizeof in6addr_loopback);
  }
  return question;
}

static enum vt_listens judge(const struct nlmsghdr *reply, const struct vt_world *world) {
  const struct nlmsgerr *failed = vt_diag_body(reply, NLMSG_ERROR, sizeof *failed);
  if (failed) return failed->error == -ENOENT ? VT_LISTENS_NONE : VT_LISTENS_FOREIGN;
  const struct inet_diag_msg *found = vt_diag_body(reply, SOCK_DIAG_BY_FAMILY, sizeof *found);
  if (!found || found->idiag_state != TCP_LISTEN) return VT_LISTENS_FOREIGN;
  return has(&world->listening, cookie_of(found)) ? VT_LISTENS_OWN : VT_LISTENS_FOREIGN;
}

/* What cannot be told counts as foreign. */
enum vt_listens vt_who_listens(const struct vt_sockets *sockets, struct vt_world *world, const union vt_address *plain) {
  struct question question = question_at(plain, sockets->device);
  union vt_diag_reply reply;
  pthread_mutex_lock(&world->lock);
  bool answered = vt_diag_ask(sockets->netlink, &question.header, &reply) > 0;
  enum vt_listens who = answered ? judge(&reply.header, world) : VT_LISTENS_FOREIGN;
  pthread_mutex_unlock(&world->lock);
  return who;
}

struct pruning {
  const struct vt_cookies *noted;
  struct vt_cookies kept;
};

static void keep(const struct nlmsghdr *message, void *context) {
  struct pruning *pruning = context;
  const struct inet_diag_msg *found = vt_diag_body(message, SOCK_DIAG_BY_FAMILY, sizeof *found);
  uint64_t cookie = found ? cookie_of(found) : 0;
  if (found && has(pruning->noted, cookie)) add(&pruning->kept, cookie);
}

static bool keep_listening(int netlink, int family, struct pruning *pruning) {
  struct question question = question_about(family, NLM_F_DUMP, 1u << TCP_LISTEN);
  return vt_diag_dump(netlink, &question.header, keep, pruning);
}

/* Once there are twice as many as the last time. */
void vt_note_listening(int netlink, struct vt_world *world, uint64_t cookie) {
  struct vt_cookies *listening = &world->listening;
  struct pruning pruning = {.noted = listening};
  add(listening, cookie);
  if (listening->count < CROWD || listening->count < 2 * world->pruned_at) return;
  bool whole = keep_listening(netlink, AF_INET, &pruning) && keep_listening(netlink, AF_INET6, &pruning);
  free(whole ? listening->all : pruning.kept.all);
  if (whole) *listening = pruning.kept;
  world->pruned_at = listening->count;
}

static int try_once(void) {
  struct vt_world none = {.lock = PTHREAD_MUTEX_INITIALIZER};
  struct pruning nothing = {.noted = &none.listening};
  union vt_address nowhere = {.in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
  struct vt_sockets sockets = {.netlink = vt_whose_open()};
  if (sockets.netlink < 0) return errno;
  /* Without the module tcp_diag the answer is ENOENT, too, but to any question: a dump tells. */
  bool answers = keep_listening(sockets.netlink, AF_INET, &nothing) && vt_who_listens(&sockets, &none, &nowhere) == VT_LISTENS_NONE;
  close(sockets.netlink);
  return answers ? 0 : EOPNOTSUPP;
}

static int failed;
static void try(void) { failed = try_once(); }

int vt_whose_probe(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, try);
  return failed;
}
