#define _GNU_SOURCE
#include "notify/handlers/workspace_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/files.h"
#include "confine/filter/seccomp_constants.h"

/* Read by the threads of all commands; never freed. */
static struct name {
  const char *text;
  size_t length;
  bool is_suffix;
} *names; /* atomic */

static size_t lines_in(const char *text) {
  size_t count = 1;
  for (; *text; text++) count += *text == '\n';
  return count;
}

void vt_notice_names(const char *lines) {
  if (__atomic_load_n(&names, __ATOMIC_ACQUIRE)) return;
  struct name *all = vt_must(calloc(lines_in(lines) + 1, sizeof *all)), *next = all;
  for (char *line = vt_must(strdup(lines)), *rest = NULL; (line = strtok_r(rest ? NULL : line, "\n", &rest)); next++) {
    next->is_suffix = line[0] == '*';
    next->text = line + next->is_suffix;
    next->length = strlen(next->text);
  }
  __atomic_store_n(&names, all, __ATOMIC_RELEASE);
}

static struct vt_notes *notes_of(const struct vt_notification *notification) {
  struct vt_listener *listener = notification->listener;
  if (!listener->notes) listener->notes = vt_must(calloc(1, sizeof *listener->notes));
  return listener->notes;
}

static void add(const struct vt_notification *notification, enum vt_note_kind kind, const char *path, char *before, size_t length) {
  pthread_mutex_lock(&notification->listener->lock);
  vt_notes_add(notes_of(notification), kind, path, before, length);
  pthread_mutex_unlock(&notification->listener->lock);
}

static char folded(char letter) { return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter; }

static bool is_name(const struct name *name, const char *at, size_t length) {
  if (name->is_suffix) return length > name->length && strncasecmp(at + length - name->length, name->text, name->length) == 0;
  return folded(*at) == *name->text && strncasecmp(at, name->text, name->length) == 0 && (!at[name->length] || at[name->length] == '/');
}

/* Whether a path beneath a root leads through a name of the table. What a package brings in node_modules counts for nothing. */
static bool is_noted(const char *rest) {
  static const char packages[] = "node_modules/";
  const struct name *all = __atomic_load_n(&names, __ATOMIC_ACQUIRE);
  for (const char *at = rest; all && *(at += strspn(at, "/")); at += strcspn(at, "/")) {
    size_t length = strcspn(at, "/");
    if (strncmp(at, packages, sizeof packages - 1) == 0 || strncmp(at, ".git/", 5) == 0) return false;
    for (const struct name *name = all; name->text; name++)
      if (is_name(name, at, length)) return true;
  }
  return false;
}

/* The path behind its root; NULL: in no root, or in a private tmp, whose files go with the command. */
static const char *beneath_root(const struct vt_notification *notification, const char *path) {
  const struct vt_workspace *workspace = vt_workspace_of(notification);
  const struct vt_workspace_root *root = workspace ? vt_workspace_root_of(workspace, path) : NULL;
  return root && !root->is_private ? path + strlen(root->path) : NULL;
}

enum { MOST_COMPARED = 1 << 18 };

/* The content of a package.json, whose scripts are compared afterwards. */
static char *read_before(const struct vt_resolved *place, size_t *length) {
  struct stat status;
  if (strcasecmp(place->name, "package.json")) return NULL;
  int fd = openat(place->parent, place->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return NULL;
  bool fits = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 && status.st_size <= MOST_COMPARED;
  char *content = fits ? vt_must(malloc((size_t)status.st_size)) : NULL;
  ssize_t got = content ? pread(fd, content, (size_t)status.st_size, 0) : -1;
  close(fd);
  if (got > 0) return *length = (size_t)got, content;
  free(content);
  return NULL;
}

static bool is_spelled(const char *text, const char *name) { return vt_spells(text, name, strlen(name)); }

static void note_repository(const struct vt_notification *notification, const char *path) {
  add(notification, VT_NOTE_REPOSITORY, path, NULL, 0);
}

void vt_notice_change(struct vt_notification *notification, const struct vt_resolved *place) {
  const char *rest = beneath_root(notification, place->path);
  size_t length = 0;
  if (rest && is_spelled(".git", place->name)) note_repository(notification, place->path);
  if (!rest || !is_noted(rest)) return;
  const struct vt_notes *notes = notification->listener->notes;
  if (notes && vt_notes_have(notes, VT_NOTE_NAME, place->path)) return;
  char *before = read_before(place, &length);
  add(notification, VT_NOTE_NAME, place->path, before, length);
}

/* What git looks for beside a name that it looks for; NULL: it is another name. */
static const char *other_half(const char *name) {
  if (is_spelled("refs", name)) return "objects";
  return is_spelled("objects", name) ? "refs" : NULL;
}

static bool is_utf8(const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    int more = *at < 0x80 ? 0 : *at >= 0xf0 && *at < 0xf8 ? 3 : *at >= 0xe0 && *at < 0xf0 ? 2 : *at >= 0xc2 && *at < 0xe0 ? 1 : -1;
    if (more < 0) return false;
    for (at++; more > 0; more--, at++)
      if ((*at & 0xc0) != 0x80) return false;
  }
  return true;
}

int vt_notice_objection(const struct vt_notification *notification, const struct vt_resolved *place) {
  if (is_utf8(place->path) || !beneath_root(notification, place->path)) return 0;
  return is_spelled(".git", place->name) || other_half(place->name) ? EILSEQ : 0;
}

static void note_parent(const struct vt_notification *notification, const char *path) {
  char parent[PATH_MAX];
  size_t length = (size_t)(strrchr(path, '/') - path);
  memcpy(parent, path, length);
  parent[length] = 0;
  note_repository(notification, parent);
}

void vt_notice_made(struct vt_notification *notification, int parent, const char *path, const char *name) {
  struct stat status;
  const char *rest = beneath_root(notification, path), *other = other_half(name);
  if (!rest) return;
  if (is_noted(rest)) add(notification, VT_NOTE_NAME, path, NULL, 0);
  if (is_spelled(".git", name)) note_repository(notification, path);
  if (other && fstatat(parent, other, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0) note_parent(notification, path);
}

void vt_notice_moved(struct vt_notification *notification, const char *old, const char *new) {
  const struct vt_workspace *workspace = vt_workspace_of(notification);
  if (!beneath_root(notification, new)) return;
  if (vt_workspace_root_of(workspace, old) != vt_workspace_root_of(workspace, new)) return add(notification, VT_NOTE_MOVED, new, NULL, 0);
  pthread_mutex_lock(&notification->listener->lock);
  vt_notes_follow(notes_of(notification), old, new);
  pthread_mutex_unlock(&notification->listener->lock);
}

void vt_notice_executable(struct vt_notification *notification, int fd) {
  char path[PATH_MAX];
  struct stat status;
  if (!vt_workspace_of(notification) || vt_path_of(fd, path, sizeof path)) return;
  const char *name = strrchr(path, '/'), *other = name ? other_half(name + 1) : NULL;
  if (!other || !beneath_root(notification, path)) return;
  char beside[PATH_MAX + 8];
  memcpy(beside, path, (size_t)(name + 1 - path));
  strcpy(beside + (name + 1 - path), other);
  if (lstat(beside, &status) == 0) note_parent(notification, path);
}

void vt_notice_reply(struct vt_notification *notification) {
  bool goes_on = !notification->error && !notification->done && notification->send_fd < 0;
  if (!goes_on || !vt_workspace_of(notification) || !vt_makes_name(notification)) return;
  pthread_mutex_lock(&notification->listener->lock);
  notes_of(notification)->unseen = true;
  pthread_mutex_unlock(&notification->listener->lock);
}
