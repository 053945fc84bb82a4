#define _GNU_SOURCE
#include "lookup/answer.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/paths.h"

enum { HEAD = 2 * sizeof(uint32_t) };

int vt_answer_append(struct vt_answer *answer, const char *bytes, size_t length) {
  if (length > answer->room - answer->length) return ENOBUFS;
  memcpy(answer->at + answer->length, bytes, length);
  answer->length += length;
  return 0;
}

int vt_answer_append_path_of(struct vt_answer *answer, int fd) {
  char path[PATH_MAX];
  if (vt_path_of(fd, path, sizeof path)) return EIO;
  if (path[0] != '/') return ENOENT;
  return vt_path_is_deleted(path) ? ESTALE : vt_answer_append(answer, path, strlen(path));
}

void vt_answer_all(const char *questions, size_t length, vt_look_at *look_at, void *context, char *answers, size_t room, size_t *used) {
  size_t filled = 0;
  for (const char *at = questions, *end = questions + length; at < end && filled + HEAD <= room; at += strlen(at) + 1) {
    struct vt_answer answer = {.at = answers + filled + HEAD, .room = room - filled - HEAD};
    uint32_t head[] = {(uint32_t)look_at(at, context, &answer), 0};
    head[1] = head[0] ? 0 : (uint32_t)answer.length;
    memcpy(answers + filled, head, HEAD);
    filled += HEAD + head[1];
    __atomic_store_n(used, filled, __ATOMIC_RELEASE);
  }
}

/* The length without the last name; -1: there is none. */
static ssize_t cut(const char *path, size_t length) {
  while (length && path[length - 1] == '/') length--;
  if (!length) return -1;
  while (length && path[length - 1] != '/') length--;
  return length ? (ssize_t)length - 1 : -1;
}

/* Reduces the length to the part that exists. */
static int find_beginning(char path[PATH_MAX], size_t *length, vt_find *find, vt_follow *follow, struct vt_answer *answer) {
  char beginning[PATH_MAX];
  for (int links = 0;;) {
    memcpy(beginning, path, *length);
    beginning[*length] = 0;
    int error = find(*length ? beginning : "/", answer);
    if (error != ENOENT && error != ENOTDIR) return error;
    int followed = follow ? follow(path, *length, &links) : EINVAL;
    if (followed == ELOOP || followed == ENAMETOOLONG) return followed;
    ssize_t shorter = followed ? cut(path, *length) : (ssize_t)strlen(path);
    if (shorter < 0) return error;
    *length = (size_t)shorter;
  }
}

int vt_lookup_where(const char *asked, vt_find *find, vt_follow *follow, struct vt_answer *answer) {
  char path[PATH_MAX];
  size_t length = strlen(asked);
  if (length >= sizeof path) return ENAMETOOLONG;
  memcpy(path, asked, length + 1);
  int error = find_beginning(path, &length, find, follow, answer);
  if (!error) error = vt_answer_append(answer, "", 1);
  return error ? error : vt_answer_append(answer, path + length, strlen(path + length));
}

/* Behind the real path of a file: its path, and its directory's real path. */
static int add_found(const char *path, size_t directory, vt_find *find, struct vt_answer *answer) {
  char beginning[PATH_MAX];
  size_t length = strlen(path);
  bool direct = answer->length == length && memcmp(answer->at, path, length) == 0;
  memcpy(beginning, path, directory);
  beginning[directory] = 0;
  int error = vt_answer_append(answer, "", 1);
  if (!error) error = vt_answer_append(answer, path, length + 1);
  if (error) return error;
  return direct ? vt_answer_append(answer, beginning, directory) : find(directory ? beginning : "/", answer);
}

int vt_lookup_program(const char *places, vt_find *find, struct vt_answer *answer) {
  char path[PATH_MAX];
  const char *name = strrchr(places, '/');
  size_t length;
  for (const char *at = places; name && at <= name; at += length + 1) {
    length = strcspn(at, ":");
    if (length > (size_t)(name - at)) length = (size_t)(name - at);
    if (length + strlen(name) >= sizeof path) continue; /* ENAMETOOLONG, also for a shell */
    memcpy(path, at, length);
    strcpy(path + length, name);
    int error = find(path, answer);
    if (!error) return add_found(path, length, find, answer);
    if (error == EAGAIN || error == ENOBUFS) return error;
  }
  return ENOENT;
}
