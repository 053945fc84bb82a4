/* A look at paths, by whoever may be kept waiting: no allocation, no lock, no libc state but errno. */
#pragma once

#include <stddef.h>

/* Room for the answers to one set of questions, and a block of names on their way there. */
enum { VT_ANSWERS = 8 * 1024 * 1024, VT_NAMES = 32 * 1024 };

struct vt_answers {
  size_t used;     /* what is answered; atomic: others read it meanwhile */
  char *at;        /* VT_ANSWERS bytes */
  char *names;     /* VT_NAMES bytes */
};

/*
 * Answers each of the NUL-separated questions, one letter of enum vt_question and a path, in their order: an errno and a
 * length (two words of 32 bits), and as many bytes.
 */
void vt_lookup_run(const char *questions, size_t length, struct vt_answers *answers);
