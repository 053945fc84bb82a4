/* The part of a lookup that may block, as answer.h. */
#pragma once

#include <stddef.h>

/* Bytes for the answers to one set of questions, and for a block of getdents64(2). */
enum { VT_ANSWERS = 8 * 1024 * 1024, VT_NAMES = 32 * 1024 };

struct vt_answers {
  size_t used;     /* atomic */
  char *at;
  char *names;
};

/* See vt_answer_all(). */
void vt_lookup_run(const char *questions, size_t length, struct vt_answers *answers);
