/* What lookups that may block and those that cannot have in common. No allocation, no lock, no libc state but errno. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct vt_answer {
  char *at;
  size_t length, room;
};

/* Returns 0 or an errno. */
int vt_answer_append(struct vt_answer *answer, const char *bytes, size_t length);

/* Appends the path of a descriptor; ENOENT if it has none (proc(5): "pipe:[1]", "(unreachable)/a"), ESTALE if it is deleted. */
int vt_answer_append_path_of(struct vt_answer *answer, int fd);

/* Answers one question: a letter of enum vt_question and a path. Returns 0 or an errno. */
typedef int vt_look_at(const char *question, void *context, struct vt_answer *answer);

/* Questions, each ended by NUL. Answers: errno and length (32 bits each), bytes. `used` (atomic) grows with each answer; when
 * there is no room for another one, the rest is not asked. */
void vt_answer_all(const char *questions, size_t length, vt_look_at *look_at, void *context, char *answers, size_t room, size_t *used);

/* Absolute, without ".", ".." and empty names: the real path, unless there are symlinks. */
bool vt_lookup_is_plain(const char *path);

/* The length of a path without its last name; 0 for a name in the root; -1: there is no name left. */
ssize_t vt_lookup_cut(const char *path, size_t length);

/* Appends the real path of an existing file. Returns 0 or an errno. */
typedef int vt_find(const char *path, struct vt_answer *answer);

/* The first file of that name, for VT_QUESTION_PROGRAM. EAGAIN: `find` cannot tell. */
int vt_lookup_program(const char *places, vt_find *find, struct vt_answer *answer);
