/* The part of a lookup that may block. No allocation, no lock, no libc state but errno. */
#pragma once

#include <stddef.h>

/* Bytes for the answers to one set of questions, and for one block of getdents64. */
enum { VT_ANSWERS = 8 * 1024 * 1024, VT_NAMES = 32 * 1024 };

struct vt_answers {
  size_t used;     /* bytes written; atomic: read by other threads */
  char *at;
  char *names;
};

/* Questions: a letter of enum vt_question, a path, NUL. Answers: errno and length (32 bits each), bytes. */
void vt_lookup_run(const char *questions, size_t length, struct vt_answers *answers);
