/* Conditions, rules and verdicts, and their translation to classic BPF. A verdict answers one system call: the first rule
 * whose conditions all hold decides, else `otherwise`. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vt_test {
  VT_TEST_NONE = 0, /* ends a rule's conditions */
  VT_TEST_ONE_OF,   /* (word & mask) is in `values` */
  VT_TEST_ANY_BIT,  /* (word & mask) is not 0 */
  VT_TEST_OLDER,    /* word is a process id, or a negated group id, lower than the session's */
};

/* An `int` is the low half: comparing all 64 bits would miss ioctl(fd, 1 << 32 | FS_IOC_SETFLAGS), which the kernel accepts. */
enum vt_half { VT_LOW = 0, VT_HIGH = 4 };

struct vt_condition {
  enum vt_test test;
  enum vt_half half;
  uint8_t argument;
  uint8_t count;
  uint32_t mask;
  const uint32_t *values;
};

#define VT_CONDITIONS_MAX 3
struct vt_rule {
  uint32_t when; /* bits of seccomp_groups.h, for the selection */
  struct vt_condition conditions[VT_CONDITIONS_MAX];
  uint32_t action;
};

struct vt_verdict {
  const struct vt_rule *rules;
  size_t count;
  uint32_t otherwise;
};

/* Stands for the session id in a built filter. Larger than any process id (PID_MAX_LIMIT, linux/threads.h). */
#define VT_ANY_SESSION 0x40000001u

/* Puts the session id in place of VT_ANY_SESSION, in the child that installs the filter. Async-signal-safe. */
void vt_bpf_settle(struct sock_filter *instructions, size_t length, uint32_t session);

/* A program under construction. Once `failed` (no room, or a jump too far), appending does nothing. */
struct vt_program {
  struct sock_filter *instructions;
  size_t capacity;
  size_t length;
  bool failed;
};

void vt_bpf_append(struct vt_program *program, uint16_t code, uint8_t if_true, uint8_t if_false, uint32_t k);

void vt_bpf_load(struct vt_program *program, size_t offset);

void vt_bpf_return(struct vt_program *program, uint32_t action);

/* Appends a verdict's instructions, every path ending in a return; counts them. */
void vt_bpf_verdict(struct vt_program *program, const struct vt_verdict *verdict);
size_t vt_bpf_verdict_length(const struct vt_verdict *verdict);

bool vt_verdict_is_constant(const struct vt_verdict *verdict);

uint32_t vt_verdict_answer(const struct vt_verdict *verdict, const __u64 *arguments);

/* The whole filter: kills foreign architectures, tests `hot` first, then a balanced binary tree over numbers. `verdicts` has
 * one entry for each number from 0; its last is for all beyond. */
struct vt_layout {
  uint32_t arch;
  int hot;
  const struct vt_verdict *const *verdicts;
  size_t count;
};
void vt_bpf_tree(struct vt_program *program, const struct vt_layout *layout);

/* Shortens a whole program of at most VT_FILTER_MAX instructions (seccomp.h); it decides as before. */
void vt_bpf_share(struct vt_program *program);

