/* Unix sockets that the commands of a world have bound and connected: the kernel tells by the socket, not by the path. */
#define _GNU_SOURCE
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/basics.h"
#include "notify/sockets/whose.h"
#include "notify/world/world.h"

enum { FIRST_ROOM = 256 };

struct question {
  struct nlmsghdr header;
  struct unix_diag_req request;
};

static struct question question_all(uint16_t flags, uint32_t show) {
  return (struct question){
      .header = {sizeof(struct question), SOCK_DIAG_BY_FAMILY, (uint16_t)(NLM_F_REQUEST | flags), 0, 0},
      .request = {.sdiag_family = AF_UNIX, .udiag_states = flags ? 1u << TCP_LISTEN : UINT32_MAX, .udiag_show = show,
                  .udiag_cookie = {UINT32_MAX, UINT32_MAX}}, /* no cookie (net/core/sock_diag.c) */
  };
}

/* About an open socket. False: it is closed. */
static bool ask_about(int netlink, const struct vt_noted *socket, uint32_t show, union vt_diag_reply *reply) {
  struct question question = question_all(0, show);
  question.request.udiag_ino = socket->socket;
  question.request.udiag_cookie[0] = (uint32_t)socket->cookie;
  question.request.udiag_cookie[1] = (uint32_t)(socket->cookie >> 32);
  return vt_diag_ask(netlink, &question.header, reply) > 0 && vt_diag_body(&reply->header, SOCK_DIAG_BY_FAMILY, sizeof(struct unix_diag_msg));
}

/* What an attribute of the message holds, at least `size` bytes; NULL: it has none. */
static const struct rtattr *attribute(const struct nlmsghdr *message, unsigned short type, size_t size) {
  const struct unix_diag_msg *found = vt_diag_body(message, SOCK_DIAG_BY_FAMILY, sizeof *found);
  if (!found) return NULL;
  const struct rtattr *at = (const struct rtattr *)(found + 1);
  int left = (int)message->nlmsg_len - (int)NLMSG_LENGTH(sizeof *found);
  for (; RTA_OK(at, left); at = RTA_NEXT(at, left))
    if (at->rta_type == type) return RTA_PAYLOAD(at) >= size ? at : NULL;
  return NULL;
}

static bool is_open(int netlink, const struct vt_noted *socket) {
  union vt_diag_reply reply;
  return ask_about(netlink, socket, 0, &reply);
}

/* The file that an open socket is bound to, as far as the kernel tells: the lower half of its inode number, and the device of its file
 * system. {0, 0}: none, or the socket is closed. */
static struct unix_diag_vfs bound_file(int netlink, const struct vt_noted *socket) {
  static const struct unix_diag_vfs none;
  union vt_diag_reply reply;
  const struct rtattr *path =
      ask_about(netlink, socket, UDIAG_SHOW_VFS, &reply) ? attribute(&reply.header, UNIX_DIAG_VFS, sizeof none) : NULL;
  return path ? *(const struct unix_diag_vfs *)RTA_DATA(path) : none;
}

/* The inode of its peer; 0: none, or it is closed. */
static uint32_t peer_of(int netlink, const struct vt_noted *socket) {
  union vt_diag_reply reply;
  const struct rtattr *peer =
      ask_about(netlink, socket, UDIAG_SHOW_PEER, &reply) ? attribute(&reply.header, UNIX_DIAG_PEER, sizeof(uint32_t)) : NULL;
  return peer ? *(const uint32_t *)RTA_DATA(peer) : 0;
}

/* False: it is no socket. */
static bool identify(int fd, struct vt_noted *socket) {
  struct stat status;
  socklen_t size = sizeof socket->cookie;
  if (fstat(fd, &status) || getsockopt(fd, SOL_SOCKET, SO_COOKIE, &socket->cookie, &size)) return false;
  socket->socket = (uint32_t)status.st_ino;
  return true;
}

static struct vt_noted *find(const struct vt_world *world, const struct vt_noted *socket) {
  for (struct vt_noted *at = world->noted; at < world->noted + world->noted_count; at++)
    if (at->socket == socket->socket && at->cookie == socket->cookie) return at;
  return NULL;
}

static void forget_closed(int netlink, struct vt_world *world) {
  size_t kept = 0;
  for (size_t i = 0; i < world->noted_count; i++)
    if (is_open(netlink, &world->noted[i])) world->noted[kept++] = world->noted[i];
  world->noted_count = kept;
}

/* Once there is no room, half of it has to be of open sockets before it grows. */
static void make_room(int netlink, struct vt_world *world) {
  if (world->noted_count < world->noted_room) return;
  forget_closed(netlink, world);
  if (world->noted_count * 2 < world->noted_room) return;
  world->noted_room = world->noted_room ? world->noted_room * 2 : FIRST_ROOM;
  world->noted = vt_must(realloc(world->noted, world->noted_room * sizeof *world->noted));
}

/* Its entry; a new one if there is none. */
static struct vt_noted *entry_of(int netlink, struct vt_world *world, const struct vt_noted *socket) {
  struct vt_noted *noted = find(world, socket);
  if (noted) return noted;
  make_room(netlink, world);
  world->noted[world->noted_count] = *socket;
  return &world->noted[world->noted_count++];
}

/* include/linux/kdev_t.h: MKDEV */
static uint64_t device_of(uint32_t kernels) { return makedev(kernels >> 20, kernels & 0xfffff); }

/* Of a socket that the notifier has bound, the path tells the device, which may be another than the file system's (btrfs). Another socket
 * could have been moved to the path meanwhile: the kernel's word on the inode decides. */
static bool find_file(int netlink, struct vt_noted *bound, const struct stat *status) {
  struct unix_diag_vfs file = bound_file(netlink, bound);
  if (status && file.udiag_vfs_ino != (uint32_t)status->st_ino) return false;
  bound->inode = status ? status->st_ino : file.udiag_vfs_ino;
  bound->device = status ? status->st_dev : device_of(file.udiag_vfs_dev);
  return true;
}

void vt_note_bound(int netlink, struct vt_world *world, int fd, const struct stat *status, pid_t listener) {
  struct vt_noted bound = {.listener = listener};
  if (!identify(fd, &bound)) return;
  pthread_mutex_lock(&world->lock);
  struct vt_noted *noted = find(world, &bound);
  bool is_bound = noted && (noted->inode || !noted->client);
  if (is_bound && listener) noted->listener = listener, noted->client = 0;
  if (!is_bound && find_file(netlink, &bound, status)) *entry_of(netlink, world, &bound) = bound;
  pthread_mutex_unlock(&world->lock);
}

void vt_note_client(int netlink, struct vt_world *world, int fd, pid_t client, pid_t listener) {
  struct vt_noted socket = {.client = client};
  if (!identify(fd, &socket)) return;
  pthread_mutex_lock(&world->lock);
  struct vt_noted *noted = entry_of(netlink, world, &socket);
  noted->client = client;
  noted->listener = listener;
  pthread_mutex_unlock(&world->lock);
}

static bool is_bound_there(int netlink, const struct vt_noted *bound, const struct stat *status) {
  bool noted = (uint32_t)bound->inode == (uint32_t)status->st_ino && bound->device == status->st_dev && bound->inode;
  return noted && bound_file(netlink, bound).udiag_vfs_ino == (uint32_t)status->st_ino;
}

bool vt_is_own_file(int netlink, struct vt_world *world, const struct stat *status, pid_t *listener) {
  const struct vt_noted *own = NULL;
  pthread_mutex_lock(&world->lock);
  for (size_t i = 0; i < world->noted_count && !own; i++)
    if (is_bound_there(netlink, &world->noted[i], status)) own = &world->noted[i];
  *listener = own ? own->listener : 0;
  pthread_mutex_unlock(&world->lock);
  return own;
}

struct wanted {
  const struct vt_world *world;
  const char *name;
  size_t length;
  enum vt_listens who;
  pid_t listener;
};

static void compare(const struct nlmsghdr *message, void *context) {
  struct wanted *wanted = context;
  const struct rtattr *name = attribute(message, UNIX_DIAG_NAME, wanted->length + 1);
  if (!name || RTA_PAYLOAD(name) != wanted->length + 1) return;
  const char *bytes = RTA_DATA(name);
  if (bytes[0] || memcmp(bytes + 1, wanted->name, wanted->length)) return;
  const struct unix_diag_msg *found = NLMSG_DATA(message);
  struct vt_noted socket = {found->udiag_ino, (uint64_t)found->udiag_cookie[1] << 32 | found->udiag_cookie[0], 0, 0, 0, 0};
  const struct vt_noted *own = find(wanted->world, &socket);
  wanted->who = own && !own->client ? VT_LISTENS_OWN : VT_LISTENS_FOREIGN;
  wanted->listener = own ? own->listener : 0;
}

/* What cannot be told counts as foreign. */
enum vt_listens vt_who_listens_by_name(int netlink, struct vt_world *world, const char *name, size_t length, pid_t *listener) {
  struct wanted wanted = {.world = world, .name = name, .length = length};
  struct question question = question_all(NLM_F_DUMP, UDIAG_SHOW_NAME);
  pthread_mutex_lock(&world->lock);
  bool whole = vt_diag_dump(netlink, &question.header, compare, &wanted);
  pthread_mutex_unlock(&world->lock);
  *listener = wanted.listener;
  return whole ? wanted.who : VT_LISTENS_FOREIGN;
}

/* A number may be another socket's by now. */
static pid_t client_of(int netlink, const struct vt_world *world, uint32_t socket) {
  for (size_t i = 0; socket && i < world->noted_count; i++)
    if (world->noted[i].socket == socket && world->noted[i].client && is_open(netlink, &world->noted[i])) return world->noted[i].client;
  return 0;
}

pid_t vt_peer_process(int netlink, struct vt_world *world, int fd) {
  struct vt_noted socket;
  if (!identify(fd, &socket)) return 0;
  pthread_mutex_lock(&world->lock);
  const struct vt_noted *noted = find(world, &socket);
  pid_t process = noted ? noted->listener : 0;
  if (!process) process = client_of(netlink, world, peer_of(netlink, &socket));
  pthread_mutex_unlock(&world->lock);
  return process;
}
