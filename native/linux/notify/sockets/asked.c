/* getsockopt(2) where the kernel's answer would be about this process, or about a call that it never got. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/tcp.h> /* netinet/tcp.h lacks tcpi_segs_out */
#include <string.h>
#include <unistd.h>

#include "notify/caller/caller.h"
#include "notify/dispatch.h"
#include "notify/sockets/whose.h"

enum { TCP_CLOSE = 7 }; /* net/tcp_states.h */

/* Neither connected nor ever about to be: not even a first packet was sent. */
static bool is_fresh_tcp(int fd, const struct tcp_info *info) {
  return info->tcpi_state == TCP_CLOSE && info->tcpi_segs_out == 0 && vt_is_tcp(vt_kind_of(fd));
}

/* A socket keeps its peer when that is closed. */
static bool is_fresh_unix(int fd) {
  union vt_address peer;
  socklen_t size = sizeof peer;
  int type = vt_socket_option(fd, SO_TYPE);
  if (type != SOCK_STREAM && type != SOCK_SEQPACKET) return false;
  return vt_socket_option(fd, SO_ACCEPTCONN) == 0 && getpeername(fd, &peer.any, &size) && errno == ENOTCONN;
}

static bool is_fresh(int fd) {
  struct tcp_info info = {.tcpi_state = TCP_CLOSE};
  socklen_t size = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) return is_fresh_tcp(fd, &info);
  return vt_kind_of(fd) == VT_KIND_UNIX && is_fresh_unix(fd);
}

static bool write_exactly(const struct vt_notification *notification, int argument, const void *from, size_t size) {
  return vt_caller_write(&notification->caller, vt_argument(notification, argument), from, size) == (ssize_t)size;
}

/* As much as there is room for, as the kernel (net/core/sock.c, sk_getsockopt). */
static void tell(struct vt_notification *notification, const void *value, int length) {
  int room = 0;
  bool read = vt_caller_read(&notification->caller, vt_argument(notification, 4), &room, sizeof room) == sizeof room;
  if (room < length) length = room;
  bool told = read && length >= 0 && write_exactly(notification, 3, value, (size_t)length) && write_exactly(notification, 4, &length, sizeof length);
  vt_answer(notification, told ? 0 : read && length < 0 ? EINVAL : EFAULT);
}

static void tell_if_fresh(struct vt_notification *notification, int fd) {
  int error = ECONNABORTED; /* EINTR would have Python ask for ever */
  if (is_fresh(fd)) tell(notification, &error, sizeof error);
}

/* Another process's is true: a pair's, or from outside. */
static void tell_peer(struct vt_notification *notification, int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid != getpid() || !vt_sockets_ready(notification->sockets)) return;
  pid_t process = vt_peer_process(notification->sockets->netlink, notification->listener->world, fd);
  if (process) peer.pid = process, tell(notification, &peer, sizeof peer);
}

/* Else the call goes on. */
void vt_handle_asked(struct vt_notification *notification) {
  bool peer = (int)vt_argument(notification, 2) == SO_PEERCRED;
  int fd = vt_borrow_proven(notification, (int)vt_argument(notification, 0));
  if (fd < 0) return;
  if (!peer) tell_if_fresh(notification, fd);
  else if (notification->sockets) tell_peer(notification, fd);
  close(fd);
}
