/* Translates verdicts to classic BPF, and answers as the program would. A program is written from its end to its start: where a jump
 * leads is known before the jump, and equal returns become one. At install the kernel translates and emulates it for every command: the
 * shorter, the sooner that starts. */
#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>

#include "confine/filter/seccomp.h"

/* A place is the number of instructions behind an instruction. */
struct program {
  struct sock_filter *instructions;
  size_t capacity, length;
  bool failed; /* there is no room: nothing more is written */
};

static struct sock_filter *at(const struct program *program, size_t place) {
  return &program->instructions[program->capacity - 1 - place];
}

static size_t put(struct program *program, uint16_t code, uint32_t k) {
  if (program->length == program->capacity) program->failed = true;
  if (program->failed) return 0;
  *at(program, program->length) = (struct sock_filter){code, 0, 0, k};
  return program->length++;
}

static size_t load(struct program *program, size_t offset) { return put(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset); }

/* Conditional jumps have 8 bits (struct sock_filter, linux/filter.h). What this one leaves is for what reach() puts in between. */
enum { FARTHEST_JUMP = 250 };

static bool is_near(const struct program *program, size_t place) { return program->length - place <= FARTHEST_JUMP; }

static size_t answer(struct program *program, uint32_t action) {
  for (size_t place = program->length; place-- > 0 && is_near(program, place);)
    if (at(program, place)->code == (BPF_RET | BPF_K) && at(program, place)->k == action) return place;
  return put(program, BPF_RET | BPF_K, action);
}

/* A place from which a test that follows gets to this one. */
static size_t reach(struct program *program, size_t place) {
  if (program->failed || is_near(program, place)) return place;
  if (at(program, place)->code == (BPF_RET | BPF_K)) return answer(program, at(program, place)->k);
  return put(program, BPF_JMP | BPF_JA, (uint32_t)(program->length - place - 1));
}

static size_t test(struct program *program, uint16_t kind, uint32_t k, size_t if_true, size_t if_false) {
  if_true = reach(program, if_true);
  if_false = reach(program, if_false);
  size_t place = put(program, BPF_JMP | kind | BPF_K, k);
  if (program->failed) return 0;
  at(program, place)->jt = (uint8_t)(place - if_true - 1);
  at(program, place)->jf = (uint8_t)(place - if_false - 1);
  return place;
}

#define OWN_GROUP 0u             /* the caller's own group (kill(2)) */
#define EVERY_PROCESS UINT32_MAX /* -1: every process (kill(2)) */
#define GROUP_AFTER(session) (1u - (session))

/* Ids grow until they start again at pid_max: an older process is below the session's id, an older group, negated, above the
 * session's negated id. An older process with a higher id is refused by Landlock, but not reported. */
static void put_older(struct program *program, size_t holds, size_t otherwise) {
  size_t every = test(program, BPF_JEQ, EVERY_PROCESS, otherwise, holds);
  size_t group = test(program, BPF_JGE, GROUP_AFTER(VT_ANY_SESSION), every, otherwise);
  size_t process = test(program, BPF_JGE, VT_ANY_SESSION, group, holds);
  test(program, BPF_JEQ, OWN_GROUP, otherwise, process);
}

void vt_bpf_settle(struct sock_filter *instructions, size_t length, uint32_t session) {
  for (size_t i = 0; i < length; i++) {
    if (instructions[i].code != (BPF_JMP | BPF_JGE | BPF_K)) continue;
    if (instructions[i].k == VT_ANY_SESSION) instructions[i].k = session;
    else if (instructions[i].k == GROUP_AFTER(VT_ANY_SESSION)) instructions[i].k = GROUP_AFTER(session);
  }
}

static void put_one_of(struct program *program, const struct vt_condition *condition, size_t holds, size_t otherwise) {
  size_t next = otherwise;
  for (size_t left = condition->count; left-- > 0;) next = test(program, BPF_JEQ, condition->values[left], holds, next);
  if (condition->mask != UINT32_MAX) put(program, BPF_ALU | BPF_AND | BPF_K, condition->mask);
}

static size_t put_condition(struct program *program, const struct vt_condition *condition, size_t holds, size_t otherwise) {
  if (condition->test == VT_TEST_ANY_BIT) test(program, BPF_JSET, condition->mask, holds, otherwise);
  else if (condition->test == VT_TEST_OLDER) put_older(program, holds, otherwise);
  else put_one_of(program, condition, holds, otherwise);
  return load(program, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * condition->argument + condition->half);
}

static size_t put_verdict(struct program *program, const struct vt_verdict *verdict) {
  size_t next = answer(program, verdict->otherwise);
  for (size_t i = verdict->count; i-- > 0;) {
    const struct vt_rule *rule = &verdict->rules[i];
    size_t holds = answer(program, rule->action);
    for (size_t c = VT_CONDITIONS_MAX; c-- > 0;)
      if (rule->conditions[c].test != VT_TEST_NONE) holds = put_condition(program, &rule->conditions[c], holds, next);
    next = holds;
  }
  return next;
}

bool vt_verdict_is_constant(const struct vt_verdict *verdict) { return verdict->count == 0; }

/* Consecutive numbers with the same verdict; the last range has no end. */
struct ranges {
  struct range {
    uint32_t first;
    const struct vt_verdict *verdict;
    size_t body;
  } list[VT_VERDICT_COUNT];
  size_t count;
};

static bool same_answer(const struct vt_verdict *a, const struct vt_verdict *b) {
  if (vt_verdict_is_constant(a) && vt_verdict_is_constant(b)) return a->otherwise == b->otherwise;
  return a == b;
}

static void collect_ranges(struct ranges *ranges, const struct vt_layout *layout) {
  ranges->count = 0;
  for (size_t number = 0; number < layout->count; number++) {
    const struct vt_verdict *verdict = layout->verdicts[number];
    if (number == (size_t)layout->hot) continue; /* decided before the tree, so the neighbour's range may cover it */
    if (ranges->count > 0 && same_answer(ranges->list[ranges->count - 1].verdict, verdict)) continue;
    ranges->list[ranges->count++] = (struct range){.first = (uint32_t)number, .verdict = verdict};
  }
}

static void put_bodies(struct program *program, struct ranges *ranges) {
  for (size_t i = ranges->count; i-- > 0;)
    if (!vt_verdict_is_constant(ranges->list[i].verdict)) ranges->list[i].body = put_verdict(program, ranges->list[i].verdict);
}

/* Balanced: the kernel emulates the program once for every system call number (kernel/seccomp.c seccomp_cache_prepare), which takes
 * three times as long for a list. */
static size_t put_tree(struct program *program, const struct ranges *ranges, size_t first, size_t last) {
  const struct range *range = &ranges->list[first];
  if (first == last && vt_verdict_is_constant(range->verdict)) return answer(program, range->verdict->otherwise);
  if (first == last) return range->body;
  size_t middle = (first + last + 1) / 2;
  size_t right = put_tree(program, ranges, middle, last);
  size_t left = put_tree(program, ranges, first, middle - 1);
  return test(program, BPF_JGE, ranges->list[middle].first, right, left);
}

int vt_bpf_build(const struct vt_layout *layout, struct sock_filter *out, size_t capacity) {
  struct program program = {.instructions = out, .capacity = capacity};
  struct ranges ranges;
  collect_ranges(&ranges, layout);
  put_bodies(&program, &ranges);
  size_t tree = put_tree(&program, &ranges, 0, ranges.count - 1);
  test(&program, BPF_JEQ, (uint32_t)layout->hot, put_verdict(&program, layout->verdicts[layout->hot]), tree);
  size_t number = load(&program, offsetof(struct seccomp_data, nr));
  size_t foreign = put(&program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS); /* int 0x80 and 32-bit programs use other numbers */
  test(&program, BPF_JEQ, layout->arch, number, foreign);
  load(&program, offsetof(struct seccomp_data, arch));
  if (program.failed) return errno = E2BIG, -1;
  memmove(out, out + capacity - program.length, program.length * sizeof *out);
  return (int)program.length;
}

static bool condition_holds(const struct vt_condition *condition, const __u64 *arguments) {
  uint64_t argument = arguments[condition->argument];
  uint32_t word = (uint32_t)(condition->half == VT_HIGH ? argument >> 32 : argument) & condition->mask;
  if (condition->test == VT_TEST_ANY_BIT) return word != 0;
  if (condition->test == VT_TEST_OLDER)
    return word != OWN_GROUP && word != EVERY_PROCESS && (word < VT_ANY_SESSION || word >= GROUP_AFTER(VT_ANY_SESSION));
  for (size_t i = 0; i < condition->count; i++)
    if (word == condition->values[i]) return true;
  return false;
}

static bool rule_holds(const struct vt_rule *rule, const __u64 *arguments) {
  for (size_t i = 0; i < VT_CONDITIONS_MAX && rule->conditions[i].test != VT_TEST_NONE; i++)
    if (!condition_holds(&rule->conditions[i], arguments)) return false;
  return true;
}

uint32_t vt_verdict_answer(const struct vt_verdict *verdict, const __u64 *arguments) {
  for (size_t i = 0; i < verdict->count; i++)
    if (rule_holds(&verdict->rules[i], arguments)) return verdict->rules[i].action;
  return verdict->otherwise;
}
