#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "confine/confinement.h"
#include "confine/ruleset.h"
#include "notify/dispatch.h"
#include "notify/world/own_world.h"

static void find_terminal(struct vt_notification *notification, const struct vt_harmless_device *device, uint32_t flags) {
  const struct vt_listener *listener = notification->listener;
  if (device->major != VT_TERMINAL_MAJOR) return;
  if (listener->world && listener->mark) vt_own_controlling_terminal(notification, flags);
  else if (!listener->confinement->terminal) notification->error = ENXIO;
}

bool vt_opens_harmless_name(struct vt_notification *notification, uint32_t flags) {
  for (const struct vt_harmless_device *device = vt_harmless_devices; device < vt_harmless_devices + VT_HARMLESS_DEVICES; device++) {
    if (strcmp(notification->given, device->path) != 0) continue;
    find_terminal(notification, device, flags);
    return true;
  }
  return false;
}

bool vt_opens_harmless_node(struct vt_notification *notification, const struct stat *status, uint32_t flags) {
  for (const struct vt_harmless_device *device = vt_harmless_devices; device < vt_harmless_devices + VT_HARMLESS_DEVICES; device++) {
    if (!S_ISCHR(status->st_mode) || status->st_rdev != makedev(device->major, device->minor)) continue;
    find_terminal(notification, device, flags);
    return true;
  }
  return false;
}
