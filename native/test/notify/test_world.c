/* What a world notes stays known until its socket is closed, and closed sockets do not pile up. */
#define _GNU_SOURCE
#include <netinet/tcp.h>
#include <stdlib.h>
#include <unistd.h>

#include "notify/sockets/whose.h"
#include "notify/world/world.h"
#include "test/check.h"

enum { MANY = 10000 };

static void is_shared_while_it_is_referred_to(void) {
  struct vt_world *one = vt_world_enter(7), *same = vt_world_enter(7), *other = vt_world_enter(8);
  CHECK(one == same && one != other, "one world for each number");
  vt_note_listening(-1, one, 1);
  vt_world_leave(one);
  CHECK(same->listening.count == 1 && other->listening.count == 0, "what the last one noted");
  vt_world_leave(same);
  struct vt_world *again = vt_world_enter(7);
  CHECK(again->listening.count == 0, "a world that all have left is forgotten");
  vt_world_leave(again);
  vt_world_leave(other);
}

static int listen_at_once(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  union vt_address address = {.in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
  if (bind(fd, &address.any, sizeof address.in) || listen(fd, 1)) abort();
  return fd;
}

static uint64_t cookie_in(int fd) {
  uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size)) abort();
  return cookie;
}

static enum vt_listens who_has(int netlink, struct vt_world *world, int fd) {
  struct vt_sockets sockets = {.netlink = netlink};
  union vt_address address;
  socklen_t size = sizeof address;
  if (getsockname(fd, &address.any, &size)) abort();
  return vt_who_listens(&sockets, world, &address);
}

/* More sockets than the world keeps, of which two still listen. */
static void keeps_what_listens(int netlink, struct vt_world *world) {
  int noted = listen_at_once(), foreign = listen_at_once();
  vt_note_listening(netlink, world, cookie_in(noted));
  CHECK(who_has(netlink, world, noted) == VT_LISTENS_OWN, "noted");
  CHECK(who_has(netlink, world, foreign) == VT_LISTENS_FOREIGN, "not noted");
  for (uint64_t i = 1; i <= MANY; i++) vt_note_listening(netlink, world, i | 1ull << 63);
  CHECK(world->listening.count < 1024, "%zu are noted", world->listening.count);
  CHECK(who_has(netlink, world, noted) == VT_LISTENS_OWN, "noted, after pruning");
  CHECK(who_has(netlink, world, foreign) == VT_LISTENS_FOREIGN, "not noted, after pruning");
  close(noted), close(foreign);
}

static size_t noted_unix_sockets(int netlink, struct vt_world *world, int number, bool stay_open, int *fds) {
  const struct sockaddr_un unnamed = {.sun_family = AF_UNIX};
  for (int i = 0; i < number; i++) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(fd, (const struct sockaddr *)&unnamed, sizeof unnamed.sun_family)) abort();
    vt_note_bound(netlink, world, fd, NULL, 0);
    if (stay_open) fds[i] = fd;
    else close(fd);
  }
  return world->noted_count;
}

static void forgets_closed_unix_sockets(int netlink, struct vt_world *world) {
  enum { OPEN = 300 };
  int fds[OPEN];
  CHECK(noted_unix_sockets(netlink, world, OPEN, true, fds) == OPEN, "%zu", world->noted_count);
  size_t count = noted_unix_sockets(netlink, world, MANY, false, NULL);
  CHECK(count >= OPEN && count <= 1024, "%zu are noted", count);
  for (int i = 0; i < OPEN; i++) {
    vt_note_bound(netlink, world, fds[i], NULL, 0);
    CHECK(world->noted_count == count, "an open socket was forgotten");
    close(fds[i]);
  }
}

static void counts_a_message_without_its_body_as_none(void) {
  union vt_diag_reply reply = {.header = {.nlmsg_len = NLMSG_LENGTH(4), .nlmsg_type = NLMSG_ERROR}};
  CHECK(!vt_diag_body(&reply.header, NLMSG_ERROR, sizeof(struct nlmsgerr)), "too short");
  CHECK(!vt_diag_body(&reply.header, NLMSG_DONE, 4), "of another type");
  CHECK(vt_diag_body(&reply.header, NLMSG_ERROR, 4), "whole");
}

int main(void) {
  struct vt_world *world = vt_world_enter(1);
  int netlink = vt_whose_open();
  bool told = netlink >= 0 && !vt_whose_probe();
  if (told) keeps_what_listens(netlink, world), forgets_closed_unix_sockets(netlink, world);
  else printf("  skipped: the kernel does not tell whose a socket is (CONFIG_INET_DIAG)\n");
  if (netlink >= 0) close(netlink);
  vt_world_leave(world);
  is_shared_while_it_is_referred_to();
  counts_a_message_without_its_body_as_none();
  return finish("world");
}
