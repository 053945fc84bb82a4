#define _GNU_SOURCE
#include "notify/sockets/unix_bound.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>

#include "base/basics.h"
#include "notify/sockets/listening.h"
#include "notify/world/world.h"

struct question {
  struct nlmsghdr header;
  struct unix_diag_req request;
};

static uint64_t cookie_in(const uint32_t halves[2]) { return (uint64_t)halves[1] << 32 | halves[0]; }

static struct question question_all(uint16_t flags, uint32_t show) {
  return (struct question){
      .header = {sizeof(struct question), SOCK_DIAG_BY_FAMILY, (uint16_t)(NLM_F_REQUEST | flags), 0, 0},
      .request = {.sdiag_family = AF_UNIX, .udiag_states = flags ? 1u << TCP_LISTEN : UINT32_MAX, .udiag_show = show,
                  .udiag_cookie = {UINT32_MAX, UINT32_MAX}}, /* no cookie (net/core/sock_diag.c) */
  };
}

static struct question question_of(uint32_t socket, uint64_t cookie, uint32_t show) {
  struct question question = question_all(0, show);
  question.request.udiag_ino = socket;
  question.request.udiag_cookie[0] = (uint32_t)cookie;
  question.request.udiag_cookie[1] = (uint32_t)(cookie >> 32);
  return question;
}

/* An attribute of the message; NULL: it has none. */
static const struct rtattr *attribute(const struct nlmsghdr *message, unsigned short type) {
  const struct unix_diag_msg *found = vt_diag_body(message, SOCK_DIAG_BY_FAMILY, sizeof *found);
  if (!found) return NULL;
  const struct rtattr *at = (const struct rtattr *)(found + 1);
  int left = (int)message->nlmsg_len - (int)NLMSG_LENGTH(sizeof *found);
  for (; RTA_OK(at, left); at = RTA_NEXT(at, left))
    if (at->rta_type == type) return at;
  return NULL;
}

/* The file that an open socket is bound to, as far as the kernel tells: the lower half of its inode number, and the device of its file
 * system. {0, 0}: none, or the socket is closed. */
static struct unix_diag_vfs bound_file(int netlink, const struct vt_bound *socket) {
  static const struct unix_diag_vfs none;
  struct question question = question_of(socket->socket, socket->cookie, UDIAG_SHOW_VFS);
  union vt_diag_reply reply;
  if (vt_diag_ask(netlink, &question.header, &reply) < 0) return none;
  const struct rtattr *path = attribute(&reply.header, UNIX_DIAG_VFS);
  return path && RTA_PAYLOAD(path) >= sizeof none ? *(const struct unix_diag_vfs *)RTA_DATA(path) : none;
}

uint32_t vt_unix_peer_of(int netlink, uint32_t socket, uint64_t cookie) {
  struct question question = question_of(socket, cookie, UDIAG_SHOW_PEER);
  union vt_diag_reply reply;
  if (vt_diag_ask(netlink, &question.header, &reply) < 0) return 0;
  const struct rtattr *peer = attribute(&reply.header, UNIX_DIAG_PEER);
  return peer && RTA_PAYLOAD(peer) >= sizeof(uint32_t) ? *(const uint32_t *)RTA_DATA(peer) : 0;
}

bool vt_unix_is_open(int netlink, uint32_t socket, uint64_t cookie) {
  struct question question = question_of(socket, cookie, 0);
  union vt_diag_reply reply;
  return vt_diag_ask(netlink, &question.header, &reply) > 0 && vt_diag_body(&reply.header, SOCK_DIAG_BY_FAMILY, sizeof(struct unix_diag_msg));
}

enum { CROWD = 256 };

static void forget_closed(int netlink, struct vt_world *world) {
  size_t kept = 0;
  for (size_t i = 0; i < world->bound_count; i++)
    if (vt_unix_is_open(netlink, world->bound[i].socket, world->bound[i].cookie)) world->bound[kept++] = world->bound[i];
  world->bound_count = kept;
}

/* Once there is no room, half of it has to be of open sockets before it grows. */
static void make_room(int netlink, struct vt_world *world) {
  if (world->bound_count < world->bound_room) return;
  forget_closed(netlink, world);
  if (world->bound_count * 2 < world->bound_room) return;
  world->bound_room = world->bound_room ? world->bound_room * 2 : CROWD;
  world->bound = vt_must(realloc(world->bound, world->bound_room * sizeof *world->bound));
}

static void add(int netlink, struct vt_world *world, const struct vt_bound *socket) {
  make_room(netlink, world);
  world->bound[world->bound_count++] = *socket;
}

static struct vt_bound *find_noted(const struct vt_world *world, uint32_t socket, uint64_t cookie) {
  for (size_t i = 0; i < world->bound_count; i++)
    if (world->bound[i].socket == socket && world->bound[i].cookie == cookie) return &world->bound[i];
  return NULL;
}

/* include/linux/kdev_t.h: MKDEV */
static uint64_t device_of(uint32_t kernels) { return makedev(kernels >> 20, kernels & 0xfffff); }

/* Of a socket that the notifier has bound, the path tells the device, which may be another than the file system's (btrfs). Another socket
 * could have been moved to the path meanwhile: the kernel's word on the inode decides. */
static bool find_file(int netlink, struct vt_bound *bound, const struct stat *status) {
  struct unix_diag_vfs file = bound_file(netlink, bound);
  if (status && file.udiag_vfs_ino != (uint32_t)status->st_ino) return false;
  bound->inode = status ? status->st_ino : file.udiag_vfs_ino;
  bound->device = status ? status->st_dev : device_of(file.udiag_vfs_dev);
  return true;
}

bool vt_unix_identify(int fd, uint32_t *socket, uint64_t *cookie) {
  struct stat status;
  socklen_t size = sizeof *cookie;
  if (fstat(fd, &status) || getsockopt(fd, SOL_SOCKET, SO_COOKIE, cookie, &size)) return false;
  *socket = (uint32_t)status.st_ino;
  return true;
}

void vt_unix_note(int netlink, struct vt_world *world, int fd, const struct stat *status, pid_t listener) {
  struct vt_bound bound = {.listener = listener};
  if (!vt_unix_identify(fd, &bound.socket, &bound.cookie)) return;
  pthread_mutex_lock(&world->lock);
  struct vt_bound *noted = find_noted(world, bound.socket, bound.cookie);
  if (noted && listener) noted->listener = listener;
  if (!noted && find_file(netlink, &bound, status)) add(netlink, world, &bound);
  pthread_mutex_unlock(&world->lock);
}

static bool is_bound_there(int netlink, const struct vt_bound *bound, const struct stat *status) {
  bool noted = (uint32_t)bound->inode == (uint32_t)status->st_ino && bound->device == status->st_dev && bound->inode;
  return noted && bound_file(netlink, bound).udiag_vfs_ino == (uint32_t)status->st_ino;
}

bool vt_unix_is_own(int netlink, struct vt_world *world, const struct stat *status, pid_t *listener) {
  const struct vt_bound *own = NULL;
  pthread_mutex_lock(&world->lock);
  for (size_t i = 0; i < world->bound_count && !own; i++)
    if (is_bound_there(netlink, &world->bound[i], status)) own = &world->bound[i];
  *listener = own ? own->listener : 0;
  pthread_mutex_unlock(&world->lock);
  return own;
}

struct wanted {
  const struct vt_world *world;
  const char *name;
  size_t length;
  bool exists;
  const struct vt_bound *own;
};

static void compare(const struct nlmsghdr *message, void *context) {
  struct wanted *wanted = context;
  const struct rtattr *name = attribute(message, UNIX_DIAG_NAME);
  if (!name || RTA_PAYLOAD(name) != wanted->length + 1) return;
  const char *bytes = RTA_DATA(name);
  if (bytes[0] || memcmp(bytes + 1, wanted->name, wanted->length)) return;
  wanted->exists = true;
  const struct unix_diag_msg *found = NLMSG_DATA(message);
  wanted->own = find_noted(wanted->world, found->udiag_ino, cookie_in(found->udiag_cookie));
}

bool vt_unix_is_own_name(int netlink, struct vt_world *world, const char *name, size_t length, bool *exists, pid_t *listener) {
  struct wanted wanted = {.world = world, .name = name, .length = length};
  struct question question = question_all(NLM_F_DUMP, UDIAG_SHOW_NAME);
  pthread_mutex_lock(&world->lock);
  bool whole = vt_diag_dump(netlink, &question.header, compare, &wanted);
  *listener = wanted.own ? wanted.own->listener : 0;
  pthread_mutex_unlock(&world->lock);
  *exists = wanted.exists || !whole;
  return whole && wanted.own;
}
