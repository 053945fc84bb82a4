#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "confine/confinement.h"
#include "confine/landlock.h"
#include "notify/dispatch.h"

static void miss_terminal(struct vt_notification *notification, const struct vt_harmless_device *device) {
  if (device->major == VT_TERMINAL_MAJOR && !notification->listener->confinement->terminal) notification->error = ENXIO;
}

bool vt_opens_harmless_name(struct vt_notification *notification) {
  for (const struct vt_harmless_device *device = vt_harmless_devices; device < vt_harmless_devices + VT_HARMLESS_DEVICES; device++) {
    if (strcmp(notification->given, device->path) != 0) continue;
    miss_terminal(notification, device);
    return true;
  }
  return false;
}

bool vt_opens_harmless_node(struct vt_notification *notification, const struct stat *status) {
  for (const struct vt_harmless_device *device = vt_harmless_devices; device < vt_harmless_devices + VT_HARMLESS_DEVICES; device++) {
    if (!S_ISCHR(status->st_mode) || status->st_rdev != makedev(device->major, device->minor)) continue;
    miss_terminal(notification, device);
    return true;
  }
  return false;
}
