/* Shortens a finished program: equal returns become one, and jumps to jumps go straight to the end. At install the kernel
 * translates the filter again for every command, which takes longer the longer it is. */
#include <string.h>

#include "confine/filter/bpf.h"
#include "confine/filter/seccomp.h"

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
