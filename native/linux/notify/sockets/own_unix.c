/* Unix sockets among the command's own processes: bind(2) by path in the workspace and TMPDIR, or by an abstract name where Landlock
 * scopes these, and connect(2) to what a command of the world has bound. Carried out here, on the borrowed socket: a continued call could
 * have its path replaced after the check. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.h"
#include "confine/confinement.h"
#include "notify/caller/caller.h"
#include "notify/caller/place.h"
#include "notify/dispatch.h"
#include "notify/handlers/workspace_ops.h"
#include "notify/sockets/whose.h"
#include "workspace/workspace.h"

enum { TCP_ABI = 4, ABSTRACT_SCOPE_ABI = 6, GOES_ON = -1, NAME_ROOM = sizeof((struct sockaddr_un *)0)->sun_path };
static const size_t before = offsetof(struct sockaddr_un, sun_path);

static bool is_abstract(const union vt_address *address, socklen_t length) { return length > before && !address->un.sun_path[0]; }

/* Relative to the directory, which is this thread's alone (notifiers.c): the whole path could be longer than an address. */
static int bind_relative(int directory, const char *name, int fd) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t size = strlen(name);
  if (size > NAME_ROOM) return errno = ENAMETOOLONG, -1;
  memcpy(address.sun_path, name, size);
  if (fchdir(directory)) return -1;
  int failed = bind(fd, (struct sockaddr *)&address, (socklen_t)(before + size));
  int error = errno;
  if (chdir("/")) return -1;
  errno = error;
  return failed;
}

/* In its TMPDIR, the only place where Landlock grants sockets, the caller binds itself, and getsockname(2) tells the path as given.
 * Whatever it puts in place of socket or path meanwhile is refused by Landlock, too, unless that knows no TCP (below ABI 4) or with
 * datagrams of the whole network. */
static bool may_go_on(const struct vt_notification *notification, const struct vt_resolved *place) {
  const struct vt_confinement *confinement = notification->listener->confinement;
  const char *private = confinement->writable[0];
  return confinement->abi >= TCP_ABI && !notification->listener->network && private && vt_path_beneath(place->path, private);
}

/* Git takes what can be executed for these, and a socket's mode may say so (setup.c, is_git_directory). */
static bool is_for_git(const char *name) {
  static const char *const names[] = {".git", "HEAD", "objects", "refs"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (vt_spells(names[i], name, strlen(name))) return true;
  return false;
}

/* For a caller with a sandbox of its own nothing is carried out. */
static int bind_there(struct vt_notification *notification, int directory, const char *name, int fd) {
  if (vt_is_for_own_sandbox(notification)) return EACCES;
  if (!vt_may_act(notification)) return EINTR;
  return bind_relative(directory, name, fd) ? errno : 0;
}

static int bind_in_workspace(struct vt_notification *notification, const struct vt_resolved *place, int fd) {
  struct vt_spot spot;
  vt_workspace_spot(notification, place, true, &spot);
  bool in = vt_spot_is_in(&spot) && !is_for_git(spot.name);
  int error = in ? bind_there(notification, spot.parent, spot.name, fd) : EACCES;
  vt_spot_close(&spot);
  return error;
}

static int bind_at(struct vt_notification *notification, const struct vt_resolved *place, int fd) {
  if (place->exists) return EADDRINUSE;
  if (!place->name[0] || place->slashed) return ENOENT;
  if (may_go_on(notification, place)) return GOES_ON;
  if (notification->roots) return bind_in_workspace(notification, place, fd);
  return vt_is_private(notification->listener, place->parent) ? bind_there(notification, place->parent, place->name, fd) : EACCES;
}

static int bind_path(struct vt_notification *notification, int fd, const char *path) {
  struct vt_resolved place;
  struct stat status;
  int error = vt_resolve(&notification->caller, AT_FDCWD, path, false, &place);
  if (error) return error == VT_NO_FILE ? EACCES : error;
  error = bind_at(notification, &place, fd);
  if (!error && fstatat(place.parent, place.name, &status, AT_SYMLINK_NOFOLLOW) == 0)
    vt_note_bound(notification->sockets->netlink, notification->listener->world, fd, &status, 0);
  vt_resolved_close(&place);
  return error;
}

/* Without a name the kernel chooses an abstract one (unix(7), autobind). */
static int bind_name(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  if (notification->listener->confinement->abi < ABSTRACT_SCOPE_ABI) return EACCES;
  return bind(fd, &address->any, length) ? errno : 0;
}

static const char *path_in(const union vt_address *address, socklen_t length, char path[NAME_ROOM + 1]) {
  size_t size = length - before;
  memcpy(path, address->un.sun_path, size);
  path[size] = 0;
  return path;
}

static int bind_unix(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  char path[NAME_ROOM + 1];
  if (address->any.sa_family != AF_UNIX || length > sizeof address->un) return EINVAL;
  if (length == before || is_abstract(address, length)) return bind_name(notification, fd, address, length);
  return bind_path(notification, fd, path_in(address, length, path));
}

void vt_unix_bind(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  int error = bind_unix(notification, fd, address, length);
  if (error == EACCES) return vt_refuse(notification);
  if (error != GOES_ON) vt_answer(notification, error);
}

static void note_peer(const struct vt_notification *notification, int fd, pid_t listener) {
  pid_t client = vt_caller_process(&notification->caller);
  vt_note_client(notification->sockets->netlink, notification->listener->world, fd, client, listener);
}

/* The socket at a path, if it is the world's; -1 with errno. */
static int open_own(struct vt_notification *notification, const char *path, pid_t *listener) {
  struct vt_resolved place;
  struct stat status;
  int error = vt_resolve(&notification->caller, AT_FDCWD, path, true, &place);
  if (error) return errno = error == VT_NO_FILE ? EACCES : error, -1;
  int fd = openat(place.parent, place.name[0] ? place.name : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC);
  error = fd < 0 ? errno : fstat(fd, &status) ? errno : !S_ISSOCK(status.st_mode) ? ECONNREFUSED : 0;
  vt_resolved_close(&place);
  if (!error && !vt_is_own_file(notification->sockets->netlink, notification->listener->world, &status, listener)) error = EACCES;
  if (!error) return fd;
  if (fd >= 0) close(fd);
  errno = error;
  return -1;
}

static int connect_path(struct vt_notification *notification, int fd, const char *path, bool *waits) {
  union vt_address address = {.un.sun_family = AF_UNIX};
  pid_t listener = 0;
  int socket = open_own(notification, path, &listener);
  if (socket < 0) return errno;
  note_peer(notification, fd, listener);
  int size = snprintf(address.un.sun_path, NAME_ROOM, "/proc/thread-self/fd/%d", socket);
  int error = vt_connect_now(fd, &address, (socklen_t)(before + (size_t)size + 1));
  *waits = error == EAGAIN && !(fcntl(fd, F_GETFL) & O_NONBLOCK) && vt_connect_later(notification, fd, socket);
  if (!*waits) close(socket);
  return error;
}

/* Another process can take the name between the look and the connection: its process is then not the one that has listened, ours. */
static int connect_name(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  pid_t listener = 0;
  struct ucred peer;
  socklen_t size = sizeof peer;
  const char *name = address->un.sun_path + 1;
  struct vt_world *world = notification->listener->world;
  enum vt_listens who = vt_who_listens_by_name(notification->sockets->netlink, world, name, length - before - 1, &listener);
  if (who != VT_LISTENS_OWN) return who == VT_LISTENS_NONE ? ECONNREFUSED : EACCES;
  note_peer(notification, fd, listener);
  int error = vt_connect_now(fd, address, length);
  if (error || (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid())) return error;
  shutdown(fd, SHUT_RDWR);
  return EACCES;
}

int vt_unix_connect(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length, bool *waits) {
  char path[NAME_ROOM + 1];
  int type = vt_socket_option(fd, SO_TYPE);
  if (type != SOCK_STREAM && type != SOCK_SEQPACKET) return EACCES;
  if (address->any.sa_family != AF_UNIX || length <= before || length > sizeof address->un) return EINVAL;
  if (is_abstract(address, length)) return connect_name(notification, fd, address, length);
  return connect_path(notification, fd, path_in(address, length, path), waits);
}
