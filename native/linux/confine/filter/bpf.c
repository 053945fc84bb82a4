#include "confine/filter/seccomp.h"

#include <linux/seccomp.h>

/* Conditional jumps have 8 bits (struct sock_filter, linux/filter.h). */
#define FARTHEST_JUMP 255

void vt_bpf_append(struct vt_program *program, uint16_t code, uint8_t if_true, uint8_t if_false, uint32_t k) {
  if (program->length >= program->capacity) program->failed = true;
  if (program->failed) return;
  program->instructions[program->length++] = (struct sock_filter){code, if_true, if_false, k};
}

void vt_bpf_load(struct vt_program *program, size_t offset) {
  vt_bpf_append(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

void vt_bpf_return(struct vt_program *program, uint32_t action) {
  vt_bpf_append(program, BPF_RET | BPF_K, 0, 0, action);
}

bool vt_verdict_is_constant(const struct vt_verdict *verdict) {
  return verdict->count == 0;
}

static bool needs_mask(const struct vt_condition *condition) {
  return condition->test == VT_TEST_ONE_OF && condition->mask != UINT32_MAX;
}

static size_t condition_length(const struct vt_condition *condition) {
  if (condition->test == VT_TEST_NONE) return 0;
  if (condition->test == VT_TEST_ANY_BIT) return 2;
  if (condition->test == VT_TEST_OLDER) return 5;
  return 1 + needs_mask(condition) + condition->count;
}

static size_t rule_length(const struct vt_rule *rule) {
  size_t length = 1;
  for (size_t i = 0; i < VT_CONDITIONS_MAX; i++) length += condition_length(&rule->conditions[i]);
  return length;
}

size_t vt_bpf_verdict_length(const struct vt_verdict *verdict) {
  size_t length = 1;
  for (size_t i = 0; i < verdict->count; i++) length += rule_length(&verdict->rules[i]);
  return length;
}

/* Appends a test: skips `if_true` instructions if it holds, else jumps to `target`. */
static void jump_unless(struct vt_program *program, uint16_t test, uint32_t k, size_t if_true, size_t target) {
  size_t if_false = target - program->length - 1;
  if (if_true > FARTHEST_JUMP || if_false > FARTHEST_JUMP) program->failed = true;
  vt_bpf_append(program, BPF_JMP | test | BPF_K, (uint8_t)if_true, (uint8_t)if_false, k);
}

#define OWN_GROUP 0u             /* the caller's own group (kill(2)) */
#define EVERY_PROCESS UINT32_MAX /* -1: every process (kill(2)) */
#define GROUP_AFTER(session) (1u - (session))

/* Ids grow until they start again at pid_max: an older process is below the session's id, an older group, negated, above the
 * session's negated id. An older process with a higher id is refused by Landlock, but not reported. */
static void append_older(struct vt_program *program, size_t otherwise) {
  size_t holds = program->length + 4;
  vt_bpf_append(program, BPF_JMP | BPF_JEQ | BPF_K, (uint8_t)(otherwise - program->length - 1), 0, OWN_GROUP);
  vt_bpf_append(program, BPF_JMP | BPF_JGE | BPF_K, 0, (uint8_t)(holds - program->length - 1), VT_ANY_SESSION);
  jump_unless(program, BPF_JGE, GROUP_AFTER(VT_ANY_SESSION), 0, otherwise);
  vt_bpf_append(program, BPF_JMP | BPF_JEQ | BPF_K, (uint8_t)(otherwise - program->length - 1), 0, EVERY_PROCESS);
}

void vt_bpf_settle(struct sock_filter *instructions, size_t length, uint32_t session) {
  for (size_t i = 0; i < length; i++) {
    if (instructions[i].code != (BPF_JMP | BPF_JGE | BPF_K)) continue;
    if (instructions[i].k == VT_ANY_SESSION) instructions[i].k = session;
    else if (instructions[i].k == GROUP_AFTER(VT_ANY_SESSION)) instructions[i].k = GROUP_AFTER(session);
  }
}

/* Falls through if the condition holds, else jumps to `otherwise`. */
static void append_condition(struct vt_program *program, const struct vt_condition *condition, size_t otherwise) {
  vt_bpf_load(program, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * condition->argument + condition->half);
  if (condition->test == VT_TEST_ANY_BIT) {
    jump_unless(program, BPF_JSET, condition->mask, 0, otherwise);
    return;
  }
  if (condition->test == VT_TEST_OLDER) return append_older(program, otherwise);
  if (needs_mask(condition)) vt_bpf_append(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, condition->mask);
  for (size_t left = condition->count; left > 0; left--) {
    size_t next = left == 1 ? otherwise : program->length + 1;
    jump_unless(program, BPF_JEQ, condition->values[condition->count - left], left - 1, next);
  }
}

void vt_bpf_verdict(struct vt_program *program, const struct vt_verdict *verdict) {
  for (size_t i = 0; i < verdict->count; i++) {
    const struct vt_rule *rule = &verdict->rules[i];
    size_t next_rule = program->length + rule_length(rule);
    for (size_t c = 0; c < VT_CONDITIONS_MAX && rule->conditions[c].test != VT_TEST_NONE; c++)
      append_condition(program, &rule->conditions[c], next_rule);
    vt_bpf_return(program, rule->action);
  }
  vt_bpf_return(program, verdict->otherwise);
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
