#define _GNU_SOURCE
#include "notify/sockets/listening.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "notify/world/world.h"

struct question {
  struct nlmsghdr header;
  struct inet_diag_req_v2 request;
};

int vt_listening_open(void) { return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG); }

static struct question question_of(int family, uint16_t flags, uint32_t states) {
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
  struct question question = question_of(plain->any.sa_family, 0, UINT32_MAX);
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

const void *vt_diag_body(const struct nlmsghdr *message, unsigned type, size_t size) {
  return message->nlmsg_type == type && message->nlmsg_len >= NLMSG_LENGTH(size) ? NLMSG_DATA(message) : NULL;
}

static enum vt_listens judge(const struct nlmsghdr *reply, const struct vt_world *world) {
  const struct nlmsgerr *failed = vt_diag_body(reply, NLMSG_ERROR, sizeof *failed);
  if (failed) return failed->error == -ENOENT ? VT_LISTENS_NONE : VT_LISTENS_FOREIGN;
  const struct inet_diag_msg *found = vt_diag_body(reply, SOCK_DIAG_BY_FAMILY, sizeof *found);
  if (!found || found->idiag_state != TCP_LISTEN) return VT_LISTENS_FOREIGN;
  return vt_world_has(world, cookie_of(found)) ? VT_LISTENS_OWN : VT_LISTENS_FOREIGN;
}

ssize_t vt_diag_ask(int netlink, struct nlmsghdr *question, union vt_diag_reply *reply) {
  static uint32_t last;
  question->nlmsg_seq = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
  if (send(netlink, question, question->nlmsg_len, 0) != (ssize_t)question->nlmsg_len) return -1;
  for (ssize_t length; (length = recv(netlink, reply, sizeof *reply, 0)) > 0;)
    if (NLMSG_OK(&reply->header, length) && reply->header.nlmsg_seq == question->nlmsg_seq) return length;
  return -1;
}

/* What cannot be told counts as foreign. */
enum vt_listens vt_who_listens(int netlink, int device, struct vt_world *world, const union vt_address *plain) {
  struct question question = question_at(plain, device);
  union vt_diag_reply reply;
  pthread_mutex_lock(&world->lock);
  bool answered = vt_diag_ask(netlink, &question.header, &reply) > 0;
  enum vt_listens who = answered ? judge(&reply.header, world) : VT_LISTENS_FOREIGN;
  pthread_mutex_unlock(&world->lock);
  return who;
}

typedef void (*visit)(const struct nlmsghdr *message, void *context);

/* False: the dump is over, or has failed. */
static bool visit_all(const union vt_diag_reply *reply, ssize_t left, visit each, void *context, bool *whole) {
  const struct nlmsghdr *message = &reply->header;
  for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left)) {
    if (message->nlmsg_type == NLMSG_DONE) return *whole = true, false;
    if (message->nlmsg_type != SOCK_DIAG_BY_FAMILY) return false;
    each(message, context);
  }
  return true;
}

bool vt_diag_dump(int netlink, struct nlmsghdr *question, visit each, void *context) {
  union vt_diag_reply reply;
  bool whole = false;
  for (ssize_t length = vt_diag_ask(netlink, question, &reply); length > 0 && visit_all(&reply, length, each, context, &whole);)
    length = recv(netlink, &reply, sizeof reply, 0);
  return whole;
}

static void collect(const struct nlmsghdr *message, void *listening) {
  const struct inet_diag_msg *found = vt_diag_body(message, SOCK_DIAG_BY_FAMILY, sizeof *found);
  if (found) vt_world_note(listening, cookie_of(found));
}

static bool dump(int netlink, int family, struct vt_world *listening) {
  struct question question = question_of(family, NLM_F_DUMP, 1u << TCP_LISTEN);
  return vt_diag_dump(netlink, &question.header, collect, listening);
}

void vt_listening_prune(int netlink, struct vt_world *world) {
  struct vt_world listening = {.number = 0};
  if (!vt_world_is_crowded(world)) return;
  if (dump(netlink, AF_INET, &listening) && dump(netlink, AF_INET6, &listening)) vt_world_prune(world, &listening);
  free(listening.cookies);
}

static int try_once(void) {
  struct vt_world none = {.lock = PTHREAD_MUTEX_INITIALIZER};
  union vt_address nowhere = {.in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
  int netlink = vt_listening_open();
  if (netlink < 0) return errno;
  /* Without the module tcp_diag the answer is ENOENT, too, but to any question: a dump tells. */
  bool answers = dump(netlink, AF_INET, &none) && vt_who_listens(netlink, 0, &none, &nowhere) == VT_LISTENS_NONE;
  free(none.cookies);
  close(netlink);
  return answers ? 0 : EOPNOTSUPP;
}

static int failed;
static void try(void) { failed = try_once(); }

int vt_listening_probe(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, try);
  return failed;
}
