/* connect(2) where some unix sockets are granted, or a proxy. Refuses what Landlock refuses, in order to report it: other sockets and
 * abstract names. Landlock checks what continues, whatever the caller's memory then holds. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "notify/dispatch.h"
#include "notify/caller/resolve.h"
#include "notify/handlers/connect_proxy.h"
#include "notify/sockets/sockets.h"
#include "confine/confinement.h"

static bool is_granted(const struct vt_notification *notification, const struct stat *status) {
  struct stat granted;
  for (char **path = notification->listener->confinement->sockets; *path; path++)
    if (stat(*path, &granted) == 0 && granted.st_dev == status->st_dev && granted.st_ino == status->st_ino) return true;
  return false;
}

/* Whether the path leads to a socket that is not granted. */
static bool reaches_another(const struct vt_notification *notification, const char *path) {
  struct vt_resolved place;
  if (vt_resolve(&notification->caller, AT_FDCWD, path, true, &place)) return false;
  bool another = place.exists && S_ISSOCK(place.status.st_mode) && !is_granted(notification, &place.status);
  vt_resolved_close(&place);
  return another;
}

void vt_handle_connect(struct vt_notification *notification) {
  struct sockaddr_un address;
  const size_t before = offsetof(struct sockaddr_un, sun_path);
  memset(&address, 0, sizeof address);
  size_t length = (uint32_t)notification->notif.data.args[2];
  if (length > sizeof address) length = sizeof address;
  ssize_t got = vt_caller_read(&notification->caller, notification->notif.data.args[1], &address, length);
  bool local = got > (ssize_t)before && address.sun_family == AF_UNIX && *notification->listener->confinement->sockets;
  if (!local && notification->listener->proxy.port) return vt_connect_to_proxy(notification);
  if (!local && notification->sockets) return vt_own_connect(notification);
  if (!local && notification->listener->world) return vt_refuse(notification);
  if (!local) return; /* not a unix socket, or EFAULT */
  char path[sizeof address.sun_path + 1] = "";
  memcpy(path, address.sun_path, (size_t)got - before);
  if (path[0] && !reaches_another(notification, path)) return;
  vt_refuse(notification);
}
