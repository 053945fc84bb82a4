#define _GNU_SOURCE
#include "workspace/workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "confine/places/places.h"

static int open_beneath(int root, const char *path) {
  return vt_openat2(root, *path ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC,
                    RESOLVE_IN_MOUNT | RESOLVE_NO_MAGIC | RESOLVE_NO_LINKS | RESOLVE_BELOW);
}

/* File systems reuse the number of a removed inode, whose rule is gone. Created in the same clock tick: unsure, so false. */
static bool is_older(int fd, const struct timespec *time) {
  struct vt_identity found;
  int64_t then = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
  return vt_identify(fd, "", AT_EMPTY_PATH, &found) == 0 && found.birth && found.birth < then;
}

/* Classifies a directory in a cut one by its inode: it has a rule only if it existed when the ruleset was made, and its name may
 * be a spelling of a protected one that vt_spells() does not know (vfat: GIT~1). */
static enum vt_spot_kind beneath_entry(const struct vt_workspace *workspace, int root, const char *rest, size_t length) {
  char path[PATH_MAX];
  struct stat status;
  enum vt_spot_kind kind = VT_SPOT_HELD;
  snprintf(path, sizeof path, "%.*s", (int)length, rest);
  int fd = open_beneath(root, path);
  if (fd < 0) return kind;
  if (fstat(fd, &status) || vt_workspace_protects(workspace, &status)) kind = VT_SPOT_PROTECTED;
  else if (vt_inode_set_has(&workspace->granted, &status) && is_older(fd, &workspace->granted_at)) kind = VT_SPOT_GRANTED;
  close(fd);
  return kind;
}

/* Whether the file system tells this name from the protected one that it may spell: it has something by this name, and by the
 * other something else, or, beside a file, nothing. A directory counts only where the list of protected paths has this name, too:
 * others may be the command's own. The command can make no file by either name, and move no listed directory. It could remove one
 * and make another between the two looks; what is open here keeps its number till then. */
static bool is_kept_apart(int root, const char *rest, const char *name, size_t length, const struct vt_path_node *place) {
  char directory[PATH_MAX], given[NAME_MAX + 1];
  struct stat this, other;
  if (length > NAME_MAX) return false;
  snprintf(directory, sizeof directory, "%.*s", (int)(name - rest), rest);
  snprintf(given, sizeof given, "%.*s", (int)length, name);
  int fd = open_beneath(root, directory);
  int there = fd < 0 ? -1 : openat(fd, given, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  int missing = there < 0 || !fstatat(fd, place->text, &other, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) ? 0 : errno;
  bool exists = there >= 0 && fstat(there, &this) == 0 && this.st_nlink > 0;
  bool fit = exists && (!S_ISDIR(this.st_mode) || vt_path_node_child(place->parent, name, length));
  bool apart = fit && (missing ? missing == ENOENT && !S_ISDIR(this.st_mode)
                               : this.st_ino != other.st_ino || this.st_dev != other.st_dev);
  if (there >= 0) close(there);
  if (fd >= 0) close(fd);
  return apart;
}

/* A path beneath a root. */
struct walk {
  const struct vt_workspace *workspace;
  int root;
  const char *rest;
};

/* Whether an entry is called `name`, or may be, up to `end`. A directory with a rule is itself, however it is spelled. */
static bool is_called(const struct walk *walk, const struct vt_path_node *place, const char *name, const char *end) {
  size_t length = (size_t)(end - name);
  if (strncmp(place->text, name, length) == 0 && !place->text[length]) return true;
  if (!place->parent->cut || !vt_spells(place->text, name, length)) return false;
  if (*end && beneath_entry(walk->workspace, walk->root, walk->rest, (size_t)(end - walk->rest)) == VT_SPOT_GRANTED) return false;
  return !is_kept_apart(walk->root, walk->rest, name, length, place);
}

/* The places that a path may lead to: the list of protected paths may spell a directory in several ways. */
struct alike {
  const struct vt_path_node *at[8];
  size_t count;
};

/* One of git's sample hooks, which git does not run, in a git directory that the command may make. */
static bool is_sample(const struct vt_path_node *place, const char *name, const char *end) {
  static const char sample[] = ".sample";
  size_t length = sizeof sample - 1;
  bool ends = (size_t)(end - name) > length && strncmp(end - length, sample, length) == 0;
  return ends && place->parent->unmade && strcmp(place->text, "hooks") == 0;
}

/* Adds the entries of a place that are called `name`. Returns what protects the name; NULL: nothing. */
static const struct vt_path_node *enter(const struct walk *walk, const struct vt_path_node *place, const char *name, const char *end, struct alike *found) {
  size_t before = found->count;
  for (const struct vt_path_node *child = place->children; child; child = child->next) {
    if (!is_called(walk, child, name, end)) continue;
    if (child->kept || found->count == sizeof found->at / sizeof *found->at) return child;
    found->at[found->count++] = child;
  }
  return place->closed && found->count == before && !is_sample(place, name, end) ? place : NULL;
}

/* Walks the names beneath the root, as far as the tree of places goes. */
static enum vt_spot_kind classify(const struct walk *walk, const struct vt_workspace_root *root, struct vt_spot *spot) {
  const struct vt_path_node *node = vt_path_node_at(walk->workspace->places->root, root->path);
  const char *rest = walk->rest;
  spot->alike = root->is_private || (node && !node->cut && !node->children);
  if (root->is_private) return *rest ? VT_SPOT_GRANTED : VT_SPOT_HELD;
  if (!node || !node->cut) return node && *rest ? VT_SPOT_GRANTED : VT_SPOT_HELD;
  struct alike here = {{node}, 1};
  for (const char *at = rest; *(at += strspn(at, "/"));) {
    const char *name = at;
    struct alike next = {.count = 0};
    at += strcspn(at, "/");
    for (size_t i = 0; i < here.count && !spot->protected_by; i++) spot->protected_by = enter(walk, here.at[i], name, at, &next);
    if (spot->protected_by) return VT_SPOT_PROTECTED;
    spot->alike = !next.count && *at;
    if (!next.count) return *at ? beneath_entry(walk->workspace, walk->root, rest, (size_t)(at - rest)) : VT_SPOT_HELD;
    spot->on_the_way = !*at;
    here = next;
  }
  return spot->on_the_way ? VT_SPOT_PROTECTED : VT_SPOT_HELD;
}

static bool split(const char *rest, char *directory, char *name) {
  const char *slash = strrchr(rest, '/');
  size_t before = slash > rest ? (size_t)(slash - rest) : 0;
  if (!*rest) directory[0] = name[0] = 0;
  if (!*rest) return true;
  if (strlen(slash + 1) > NAME_MAX) return false;
  strcpy(name, slash + 1);
  memcpy(directory, rest + 1, before ? before - 1 : 0);
  directory[before ? before - 1 : 0] = 0;
  return true;
}

static bool is_other_name(const struct vt_workspace *workspace, const struct vt_spot *spot) {
  struct stat status;
  if (!spot->name[0] || fstatat(spot->parent, spot->name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT)) return false;
  return vt_workspace_protects(workspace, &status);
}

static void find_beneath(const struct vt_workspace *workspace, const struct vt_workspace_root *root, int fd, const char *rest,
                         bool acts, struct vt_spot *spot) {
  char directory[PATH_MAX];
  if (!split(rest[0] == '/' ? rest : "", directory, spot->name)) return;
  spot->kind = classify(&(struct walk){workspace, fd, rest + strspn(rest, "/")}, root, spot);
  if (spot->kind != VT_SPOT_HELD && !spot->on_the_way && !(acts && spot->kind != VT_SPOT_OUTSIDE)) return;
  spot->parent = open_beneath(fd, directory);
  if (spot->parent < 0) spot->kind = VT_SPOT_OUTSIDE;
  else if (spot->kind == VT_SPOT_HELD && is_other_name(workspace, spot)) spot->kind = VT_SPOT_PROTECTED;
}

void vt_workspace_find(const struct vt_workspace *workspace, const int *roots, const char *path, bool acts, struct vt_spot *spot) {
  const struct vt_workspace_root *root = vt_workspace_root_of(workspace, path);
  spot->parent = -1;
  spot->kind = VT_SPOT_OUTSIDE;
  spot->alike = spot->on_the_way = spot->borrowed = false;
  spot->protected_by = NULL;
  int fd = !root ? -1 : roots ? roots[root - workspace->roots] : vt_workspace_open_root(root);
  if (fd < 0) return;
  find_beneath(workspace, root, fd, path + strlen(root->path), acts, spot);
  if (!roots) close(fd);
}

void vt_spot_close(struct vt_spot *spot) {
  if (spot->parent >= 0 && !spot->borrowed) close(spot->parent);
  spot->parent = -1;
}

struct range {
  uint32_t first, last;
};

/* unicode.org, DerivedCoreProperties.txt 15.0: Default_Ignorable_Code_Point. Folding leaves them out (linux/fs/unicode). */
static const struct range ignored[] = {
    {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},
    {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

/* CaseFolding.txt 15.0, status C and F, and UnicodeData.txt for the letters i without and with a dot: what becomes ASCII. */
static const struct folding {
  uint32_t from;
  const char *to;
} foldings[] = {
    {0xdf, "ss"},    {0x130, "i"},    {0x131, "i"},    {0x17f, "s"},     {0x1e9e, "ss"},   {0x212a, "k"},   {0xfb00, "ff"},
    {0xfb01, "fi"},  {0xfb02, "fl"},  {0xfb03, "ffi"}, {0xfb04, "ffl"},  {0xfb05, "st"},   {0xfb06, "st"},
};

struct reader {
  const char *at, *end;
  const char *pending; /* the rest of a folding */
};

static bool is_ignored(uint32_t code) {
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    if (code >= ignored[i].first && code <= ignored[i].last) return true;
  return false;
}

static const char *folding_of(uint32_t code) {
  for (size_t i = 0; i < sizeof foldings / sizeof *foldings; i++)
    if (foldings[i].from == code) return foldings[i].to;
  return "";
}

/* One code point of UTF-8 (RFC 3629), its first byte read already. A byte that begins none counts as itself. */
static uint32_t decode(struct reader *reader, unsigned char first) {
  int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  uint32_t code = first & (0x3fu >> more);
  if (!more || reader->end - reader->at < more) return first;
  for (int i = 0; i < more; i++) {
    unsigned char byte = (unsigned char)reader->at[i];
    if ((byte & 0xc0) != 0x80) return first;
    code = code << 6 | (byte & 0x3f);
  }
  reader->at += more;
  return code;
}

/* The next folded code point; 0 at the end, which no name contains. */
static uint32_t next(struct reader *reader) {
  while (!*reader->pending && reader->at < reader->end) {
    unsigned char byte = (unsigned char)*reader->at++;
    if (byte < 0x80) return byte >= 'A' && byte <= 'Z' ? byte + 32u : byte;
    uint32_t code = decode(reader, byte);
    if (is_ignored(code)) continue;
    reader->pending = folding_of(code);
    if (!*reader->pending) return code;
  }
  return *reader->pending ? (uint32_t)*reader->pending++ : 0;
}

/* vfat and exfat leave dots at the end out (fs/fat/namei_vfat.c, vfat_striptail_len), Windows servers spaces too. */
static size_t without_tail(const char *name, size_t length) {
  while (length > 0 && (name[length - 1] == '.' || name[length - 1] == ' ')) length--;
  return length;
}

bool vt_spells(const char *text, const char *name, size_t length) {
  struct reader meant = {text, text + without_tail(text, strlen(text)), ""};
  struct reader given = {name, name + without_tail(name, length), ""};
  for (;;) {
    uint32_t code = next(&meant);
    if (next(&given) != code) return false;
    if (!code) return true;
  }
}
