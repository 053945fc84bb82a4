/* Lays verdicts out as a balanced binary tree. At install the kernel emulates the filter once for every system call number
 * (kernel/seccomp.c seccomp_cache_prepare): a linear list would take three times as long. */
#include <linux/seccomp.h>
#include <string.h>

#include "confine/filter/seccomp.h"

/* Consecutive numbers with the same verdict; the last range has no end. */
struct range {
  uint32_t first;
  const struct vt_verdict *verdict;
  size_t body;
};

/* More than any filter can have: each takes at least two instructions, and VT_FILTER_MAX is 1024. */
#define RANGES_MAX 512

struct ranges {
  struct range list[RANGES_MAX];
  size_t count;
};

static bool same_answer(const struct vt_verdict *a, const struct vt_verdict *b) {
  if (vt_verdict_is_constant(a) && vt_verdict_is_constant(b)) return a->otherwise == b->otherwise;
  return a == b;
}

static bool collect_ranges(struct ranges *ranges, const struct vt_layout *layout) {
  ranges->count = 0;
  for (size_t number = 0; number < layout->count; number++) {
    const struct vt_verdict *verdict = layout->verdicts[number];
    if (number == (size_t)layout->hot) continue; /* decided before the tree, so the neighbour's range may cover it */
    if (ranges->count > 0 && same_answer(ranges->list[ranges->count - 1].verdict, verdict)) continue;
    if (ranges->count == RANGES_MAX) return false;
    ranges->list[ranges->count++] = (struct range){.first = (uint32_t)number, .verdict = verdict};
  }
  return ranges->count > 0;
}

static size_t middle(size_t first, size_t last) {
  return (first + last + 1) / 2;
}

/* Skipping a longer left half takes a second, unconditional jump: conditional ones have 8 bits. */
static bool is_far(size_t distance) {
  return distance > UINT8_MAX;
}

static size_t tree_length(size_t first, size_t last) {
  if (first == last) return 1;
  size_t mid = middle(first, last);
  size_t left = tree_length(first, mid - 1);
  return 1 + is_far(left) + left + tree_length(mid, last);
}

static void append_leaf(struct vt_program *program, const struct range *range) {
  if (vt_verdict_is_constant(range->verdict)) vt_bpf_return(program, range->verdict->otherwise);
  else vt_bpf_append(program, BPF_JMP | BPF_JA, 0, 0, (uint32_t)(range->body - program->length - 1));
}

static void append_tree(struct vt_program *program, const struct ranges *ranges, size_t first, size_t last) {
  if (first == last) {
    append_leaf(program, &ranges->list[first]);
    return;
  }
  size_t mid = middle(first, last);
  size_t left = tree_length(first, mid - 1);
  uint32_t boundary = ranges->list[mid].first;
  if (is_far(left)) {
    vt_bpf_append(program, BPF_JMP | BPF_JGE | BPF_K, 0, 1, boundary);
    vt_bpf_append(program, BPF_JMP | BPF_JA, 0, 0, (uint32_t)left);
  } else {
    vt_bpf_append(program, BPF_JMP | BPF_JGE | BPF_K, (uint8_t)left, 0, boundary);
  }
  append_tree(program, ranges, first, mid - 1);
  append_tree(program, ranges, mid, last);
}

static void place_bodies(struct ranges *ranges, size_t start) {
  for (size_t i = 0; i < ranges->count; i++) {
    ranges->list[i].body = start;
    if (!vt_verdict_is_constant(ranges->list[i].verdict)) start += vt_bpf_verdict_length(ranges->list[i].verdict);
  }
}

static void append_bodies(struct vt_program *program, const struct ranges *ranges) {
  for (size_t i = 0; i < ranges->count; i++)
    if (!vt_verdict_is_constant(ranges->list[i].verdict)) vt_bpf_verdict(program, ranges->list[i].verdict);
}

/* Before the tree: the most frequent of the calls whose verdict the kernel cannot cache. */
static void append_hot(struct vt_program *program, const struct vt_layout *layout) {
  const struct vt_verdict *verdict = layout->verdicts[layout->hot];
  size_t length = vt_bpf_verdict_length(verdict);
  if (is_far(length)) program->failed = true;
  vt_bpf_append(program, BPF_JMP | BPF_JEQ | BPF_K, 0, (uint8_t)length, (uint32_t)layout->hot);
  vt_bpf_verdict(program, verdict);
}

void vt_bpf_tree(struct vt_program *program, const struct vt_layout *layout) {
  struct ranges ranges;
  if (!collect_ranges(&ranges, layout)) {
    program->failed = true;
    return;
  }
  vt_bpf_load(program, offsetof(struct seccomp_data, arch));
  vt_bpf_append(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, layout->arch);
  vt_bpf_return(program, SECCOMP_RET_KILL_PROCESS); /* int 0x80 and 32-bit programs use other numbers */
  vt_bpf_load(program, offsetof(struct seccomp_data, nr));
  append_hot(program, layout);
  place_bodies(&ranges, program->length + tree_length(0, ranges.count - 1));
  append_tree(program, &ranges, 0, ranges.count - 1);
  append_bodies(program, &ranges);
}

/* Shortens a finished program: equal returns become one, and jumps to jumps go straight to the end. At install the kernel
 * translates the filter again for every command, which takes longer the longer it is. */
enum { FARTHEST_JUMP = 255 }; /* conditional jumps have 8 bits (struct sock_filter, linux/filter.h) */

static bool is_return(const struct sock_filter *instruction) { return instruction->code == (BPF_RET | BPF_K); }
static bool is_jump(const struct sock_filter *instruction) { return instruction->code == (BPF_JMP | BPF_JA); }
static bool is_test(const struct sock_filter *instruction) {
  return BPF_CLASS(instruction->code) == BPF_JMP && !is_jump(instruction);
}

static size_t landing(const struct vt_program *program, size_t at) {
  while (is_jump(&program->instructions[at])) at += 1 + program->instructions[at].k;
  return at;
}

/* A return that equals the one at `own`: one that is kept already, else the nearest, which most earlier tests reach. */
static size_t shared_return(const struct vt_program *program, bool *kept, size_t from, size_t own) {
  size_t nearest = own;
  for (size_t at = from + 1; at < program->length && at <= from + 1 + FARTHEST_JUMP; at++) {
    const struct sock_filter *candidate = &program->instructions[at];
    if (!is_return(candidate) || candidate->k != program->instructions[own].k) continue;
    if (kept[at]) return at;
    if (at < nearest) nearest = at;
  }
  kept[nearest] = true;
  return nearest;
}

static uint8_t redirected(const struct vt_program *program, bool *kept, size_t from, uint8_t distance) {
  size_t goal = landing(program, from + 1 + distance);
  if (is_return(&program->instructions[goal])) goal = shared_return(program, kept, from, goal);
  return goal - from - 1 > FARTHEST_JUMP ? distance : (uint8_t)(goal - from - 1);
}

/* Backwards, so that each test finds the returns that later ones share. */
static void redirect(struct vt_program *program) {
  bool kept[VT_FILTER_MAX] = {false};
  for (size_t at = program->length; at-- > 0;) {
    struct sock_filter *instruction = &program->instructions[at];
    if (is_jump(instruction)) {
      const struct sock_filter *goal = &program->instructions[landing(program, at)];
      if (is_return(goal)) *instruction = *goal;
    } else if (is_test(instruction)) {
      instruction->jt = redirected(program, kept, at, instruction->jt);
      instruction->jf = redirected(program, kept, at, instruction->jf);
    }
  }
}

static void mark_reached(const struct vt_program *program, bool *reached) {
  memset(reached, 0, program->length);
  reached[0] = true;
  for (size_t at = 0; at < program->length; at++) {
    const struct sock_filter *instruction = &program->instructions[at];
    if (!reached[at] || is_return(instruction)) continue;
    if (is_test(instruction)) reached[at + 1 + instruction->jt] = reached[at + 1 + instruction->jf] = true;
    else reached[at + 1 + (is_jump(instruction) ? instruction->k : 0)] = true;
  }
}

/* Moves the rest together. `places[at]`: how many instructions before `at` are reached. */
static void drop_unreached(struct vt_program *program) {
  bool reached[VT_FILTER_MAX];
  size_t places[VT_FILTER_MAX], count = 0;
  mark_reached(program, reached);
  for (size_t at = 0; at < program->length; at++) {
    places[at] = count;
    count += reached[at];
  }
  for (size_t at = 0; at < program->length; at++) {
    struct sock_filter moved = program->instructions[at];
    if (!reached[at]) continue;
    if (is_jump(&moved)) moved.k = (uint32_t)(places[at + 1 + moved.k] - places[at] - 1);
    if (is_test(&moved)) {
      moved.jt = (uint8_t)(places[at + 1 + moved.jt] - places[at] - 1);
      moved.jf = (uint8_t)(places[at + 1 + moved.jf] - places[at] - 1);
    }
    program->instructions[places[at]] = moved;
  }
  program->length = count;
}

/* A shorter program brings more within reach. */
void vt_bpf_share(struct vt_program *program) {
  size_t before;
  if (program->failed) return;
  do {
    before = program->length;
    redirect(program);
    drop_unreached(program);
  } while (program->length < before);
}
