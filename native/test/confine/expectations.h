/* What each system call must answer in read and workspace mode, written down a second time, as plain rows with numbers from the
 * kernel's tables: it shares nothing with the filter's own tables but the meaning. */
#pragma once

#include <errno.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "samples.h"

/* When a row holds. */
enum scope {
  ALL, NET_OFF, NET_ON, PROXY_ON, ALL_SHUT, NO_TERMINAL, OWN_TTY, BIND_JUDGED, BIND_UNJUDGED, BIND_JUDGED_NET_OFF, BIND_JUDGED_NET_ON, TRUNCATE_SHUT,
  TRUNCATE_SEEN, NOTHING_WRITABLE, SOMETHING_WRITABLE, ABI_6_UP, ABI_1_5_JUDGED, ABI_1_5_REFUSED, IN_WORKSPACE, NOT_OWN, OWN_ON, OWN_NET_OFF, OWN_NET_ON, CONNECTS_ASKED,
  OWN_SESSIONS, NO_SESSIONS, PRETENDED_SESSIONS, PROXY_WITHOUT_OWN
};

enum expected { LET = -1, ASK = -2, SEE = -3 /* let, but reported */, DONE = 0 /* pretends success */ }; /* else an errno */

/* A refusal that is reported: with vt_filter_options.report the call is notified instead. */
enum { REPORTED = 0x10000 };
#define TELL(error) ((error) | REPORTED)

/* Whatever the arguments. */
struct constant_row {
  const char *call;
  int x86_64, aarch64; /* NONE: not there */
  enum scope scope;
  int expected;
};

/* With these arguments, whatever the high halves of those that are 32 bits wide. */
struct argument_row {
  const char *call;
  int x86_64, aarch64;
  enum scope scope;
  uint64_t arguments[ARGUMENTS];
  int expected;
};

enum { NONE = -1 };

extern const struct constant_row constant_rows[];
extern const size_t constant_row_count;
extern const struct argument_row argument_rows[];
extern const size_t argument_row_count;

bool scope_holds(enum scope scope, const struct vt_filter_options *options);
uint32_t expected_action(int expected, const struct vt_filter_options *options);

/* The number of a row's call on the architecture that the filter is for. */
static inline int number_on(uint32_t arch, int x86_64, int aarch64) {
  return (arch & 0xffff) == 62 /* EM_X86_64, linux/elf-em.h */ ? x86_64 : aarch64;
}
