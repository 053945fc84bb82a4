/* What lookups that may block and others share. No allocation, no lock, no libc state but errno. Functions return 0 or an errno. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct vt_answer {
  char *at;
  size_t length, room;
};

int vt_answer_append(struct vt_answer *answer, const char *bytes, size_t length);

/* Appends the path of a descriptor; ENOENT: it has none ("pipe:[1]", "(unreachable)/a": proc(5)), ESTALE: it is deleted. */
int vt_answer_append_path_of(struct vt_answer *answer, int fd);

/* Answers one question: a letter of enum vt_question and a path. */
typedef int vt_look_at(const char *question, void *context, struct vt_answer *answer);

/* Questions end with NUL. Answers: errno, length (32 bits each), bytes. `used` (atomic) grows with each; without room for another
 * one it ends. */
void vt_answer_all(const char *questions, size_t length, vt_look_at *look_at, void *context, char *answers, size_t room, size_t *used);

/* Appends the real path of an existing file. */
typedef int vt_find(const char *path, struct vt_answer *answer);

/* Replaces the symlink that the first `length` bytes name by its target. 0; ELOOP, ENAMETOOLONG; another errno: it is none. */
typedef int vt_follow(char path[PATH_MAX], size_t length, int *links);

/* Answers VT_QUESTION_WHERE. `follow` is for dangling symlinks: writing through one creates its target. NULL: `find` does not report
 * them as ENOENT or ENOTDIR. */
int vt_lookup_where(const char *asked, vt_find *find, vt_follow *follow, struct vt_answer *answer);

/* The first file of that name, for VT_QUESTION_PROGRAM. EAGAIN: `find` cannot tell. */
int vt_lookup_program(const char *places, vt_find *find, struct vt_answer *answer);
