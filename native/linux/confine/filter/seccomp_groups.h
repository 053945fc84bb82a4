#pragma once

#include <linux/seccomp.h>

#include "confine/filter/seccomp.h"

/* Marks an action that is reported: with `report` the call is notified, and the notifier answers as the filter would, unless it
 * carries the call out. An errno takes 12 of the 16 data bits; this is the highest. */
#define VT_TOLD 0x8000u

/* What vt_filter_options say, as bits. A rule is part of the filter if every bit of its `when` holds. */
enum {
  EVER = 0,
  NETWORK = 1 << 0,
  NO_NETWORK = 1 << 1,
  TERMINAL = 1 << 3,
  LISTENER = 1 << 4, /* the notifier judges */
  NO_LISTENER = 1 << 5,
  WRITABLE = 1 << 6,         /* the command has a writable directory */
  TRUNCATE_UNSEEN = 1 << 7,  /* the ruleset does not handle truncate(2) */
  SIGNALS_UNSCOPED = 1 << 8, /* nor signals */
  WORKSPACE = 1 << 9,        /* the notifier carries calls out */
  PROXIED = 1 << 10,         /* TCP to the proxy only: the notifier connects */
  OWN_SOCKETS = 1 << 11,     /* sockets among the command's own processes: the notifier binds, listens and connects */
  UNROUTED = 1 << 12,        /* PROXIED or OWN_SOCKETS without NETWORK: no option may turn a socket elsewhere */
  CONNECTS_NOTIFIED = 1 << 13, /* PROXIED or OWN_SOCKETS */
  SESSIONS = 1 << 14,        /* sessions and controlling terminals of the command's own */
};

/* A verdict and the calls that get it. A call is in one group at most; without one it is allowed. */
struct vt_group {
  struct vt_verdict verdict;
  const enum vt_syscall *calls;
  size_t count;
};

extern const struct vt_group vt_groups[];
extern const size_t vt_group_count;

/* The language of the rules. */
#define ALLOW SECCOMP_RET_ALLOW
#define FAIL(error) (SECCOMP_RET_ERRNO | (error))
#define PRETEND FAIL(0) /* returns 0 and does nothing */
#define JUDGE SECCOMP_RET_USER_NOTIF

/* Notified if reports are on; else refused or allowed. */
#define REFUSE(error) (FAIL(error) | VT_TOLD)
#define WATCH (ALLOW | VT_TOLD)

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define VALUES(...) (const uint32_t[]){__VA_ARGS__}, .count = COUNT(((const uint32_t[]){__VA_ARGS__}))
#define MASKED(index, bits, ...) \
  { .test = VT_TEST_ONE_OF, .argument = (index), .mask = (bits), .values = VALUES(__VA_ARGS__) }
#define IS(index, ...) MASKED(index, UINT32_MAX, __VA_ARGS__)
#define HIGH_HALF_IS(index, ...) \
  { .test = VT_TEST_ONE_OF, .half = VT_HIGH, .argument = (index), .mask = UINT32_MAX, .values = VALUES(__VA_ARGS__) }
#define HAS_ANY(index, bits) \
  { .test = VT_TEST_ANY_BIT, .argument = (index), .mask = (bits) }

#define ANY_ARGUMENTS {.test = VT_TEST_NONE}
#define OLDER(index) \
  { .test = VT_TEST_OLDER, .argument = (index), .mask = UINT32_MAX }

/* The verdict of a group: rules in order with a fallback, or a constant. */
#define FITTING(count) ((count) + 0 * sizeof(char[(count) <= VT_RULES_A_GROUP_MAX ? 1 : -1]))
#define DECIDE(list, fallback) {.rules = (list), .count = FITTING(COUNT(list)), .otherwise = (fallback)}
#define ALWAYS(action) {.otherwise = (action)}

#define CALLS(...) \
  .calls = (const enum vt_syscall[]){__VA_ARGS__}, .count = COUNT(((const enum vt_syscall[]){__VA_ARGS__}))
