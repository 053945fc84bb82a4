#pragma once

#include <linux/seccomp.h>

#include "confine/filter/bpf.h"

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
#define HIGH_HALF_HAS_ANY(index) \
  { .test = VT_TEST_ANY_BIT, .half = VT_HIGH, .argument = (index), .mask = UINT32_MAX }
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
