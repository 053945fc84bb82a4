#define _GNU_SOURCE
#include "notify/caller/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "confine/confinement.h"
#include "workspace/known.h"

/* The caller's directory as a path of ours, and the name in it. Not where /proc/self would be us. */
static bool split(const struct vt_caller *caller, int base, const char *path, char *directory, const char **name) {
  const char *slash = strrchr(path, '/');
  size_t before = slash ? (size_t)(slash + 1 - path) : 0, length = strlen(path + before);
  int start = 0;
  *name = path + before;
  if (!length || length > NAME_MAX || vt_path_is_dots(*name, length)) return false;
  if (strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/", 5) == 0) return false;
  if (path[0] != '/' && base == AT_FDCWD) start = sprintf(directory, "/proc/%d/cwd/", caller->thread);
  else if (path[0] != '/') start = sprintf(directory, "/proc/%d/fd/%d/", caller->thread, base);
  if ((size_t)start + before >= PATH_MAX) return false;
  memcpy(directory + start, path, before);
  directory[(size_t)start + before] = 0;
  return true;
}

static bool complete(const struct vt_known_directory *known, const char *name, struct vt_resolved *place) {
  int length = snprintf(place->path, sizeof place->path, "%s/%s", known->path, name);
  if (length < 0 || (size_t)length >= sizeof place->path) return false;
  strcpy(place->name, name);
  place->known = known;
  place->parent = known->fd;
  place->slashed = place->dead = false;
  return true;
}

/* Both paths of a rename(2) mostly lead to one directory. */
static const struct vt_known_directory *find_directory(struct vt_notification *notification, const char *directory) {
  struct vt_known *known = notification->known_directories;
  struct vt_identity identity;
  if (known->call == notification->notif.id && strcmp(known->text, directory) == 0) return known->last;
  if (vt_identify(AT_FDCWD, directory, 0, &identity)) return NULL;
  known->last = vt_known_find(known, &identity);
  known->call = notification->notif.id;
  strcpy(known->text, directory);
  return known->last;
}

static bool find_known(struct vt_notification *notification, int base, const char *path, bool follow, struct vt_resolved *place) {
  char directory[PATH_MAX];
  const char *name;
  if (!split(&notification->caller, base, path, directory, &name)) return false;
  const struct vt_known_directory *known = find_directory(notification, directory);
  if (!known) return false;
  /* The call goes on, and the kernel finds what is there. */
  bool goes_on = known->kind == VT_SPOT_GRANTED && !follow && notification->call->subject == VT_PATH;
  place->exists = !goes_on && fstatat(known->fd, name, &place->status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
  if (goes_on) return complete(known, name, place);
  if (place->exists ? follow && S_ISLNK(place->status.st_mode) : errno != ENOENT) return false;
  return complete(known, name, place);
}

/* For the next calls. Goes on with the proven descriptor. */
static void learn(struct vt_notification *notification, struct vt_resolved *place) {
  struct vt_identity identity;
  if (!place->name[0] || vt_identify(place->parent, "", AT_EMPTY_PATH, &identity)) return;
  struct vt_known *known = notification->known_directories;
  place->known = vt_known_add(known, notification->listener->confinement->workspace, notification->roots, place->path, &identity);
  if (!place->known) return;
  known->call = 0;
  close(place->parent);
  place->parent = place->known->fd;
}

int vt_place_find(struct vt_notification *notification, int directory, const char *path, bool follow, struct vt_resolved *place) {
  if (notification->known_directories && find_known(notification, directory, path, follow, place)) return 0;
  int error = vt_resolve(&notification->caller, directory, path, follow, place);
  if (!error && notification->known_directories) learn(notification, place);
  return error;
}
