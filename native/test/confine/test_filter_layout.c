/* Proves that the tree layout decides as a linear list of the same rules, and as the rules themselves read in C. */
#include <linux/audit.h>
#include <string.h>

#include "confine/filter/bpf.h"
#include "confine/filter/seccomp.h"
#include "test/check.h"
#include "expectations.h"
#include "simulator.h"

enum { LAST_NUMBER = 600, LINEAR_MAX = 4096 };

static struct vt_rules rules;

static const struct vt_verdict *verdict_of(uint32_t number) {
  return rules.verdicts[number < VT_VERDICT_COUNT ? number : VT_VERDICT_COUNT - 1];
}

/* One comparison for each number in turn; what matches none is beyond the reviewed ones. */
static void append_linear(struct vt_program *program, uint32_t arch) {
  vt_bpf_load(program, offsetof(struct seccomp_data, arch));
  vt_bpf_append(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, arch);
  vt_bpf_return(program, SECCOMP_RET_KILL_PROCESS);
  vt_bpf_load(program, offsetof(struct seccomp_data, nr));
  for (uint32_t number = 0; number <= VT_LAST_REVIEWED_SYSCALL; number++) {
    uint8_t body = (uint8_t)vt_bpf_verdict_length(rules.verdicts[number]);
    vt_bpf_append(program, BPF_JMP | BPF_JEQ | BPF_K, 0, body, number);
    vt_bpf_verdict(program, rules.verdicts[number]);
  }
  vt_bpf_verdict(program, rules.verdicts[VT_VERDICT_COUNT - 1]);
}

static void compare(const struct vt_program *tree, const struct vt_program *linear, const struct seccomp_data *data) {
  struct run in_tree = simulate(tree->instructions, tree->length, data);
  struct run in_line = simulate(linear->instructions, linear->length, data);
  uint32_t by_rules = vt_rules_answer(&rules, data);
  CHECK(in_tree.fault == FAULT_NONE && in_line.fault == FAULT_NONE, "number %d: faults %d, %d", data->nr, in_tree.fault,
        in_line.fault);
  CHECK(in_tree.action == in_line.action && in_tree.action == by_rules, "number %d: tree %#x, linear %#x, rules %#x",
        data->nr, in_tree.action, in_line.action, by_rules);
}

/* A few vectors for every number, all of them for the numbers that look at their arguments. */
static void compare_samples(const struct vt_program *tree, const struct vt_program *linear, uint32_t arch) {
  struct seccomp_data data = {.arch = arch};
  uint64_t arguments[ARGUMENTS];
  for (size_t i = 0; sample_arguments(i, arguments); i++) {
    memcpy(data.args, arguments, sizeof arguments);
    for (data.nr = -2; data.nr <= LAST_NUMBER; data.nr += 1)
      if (i < 3 || !vt_verdict_is_constant(verdict_of((uint32_t)data.nr))) compare(tree, linear, &data);
  }
}

static void compare_rows(const struct vt_program *tree, const struct vt_program *linear, uint32_t arch) {
  for (size_t i = 0; i < argument_row_count; i++) {
    struct seccomp_data data = {.arch = arch, .nr = number_on(arch, argument_rows[i].x86_64, argument_rows[i].aarch64)};
    memcpy(data.args, argument_rows[i].arguments, sizeof argument_rows[i].arguments);
    compare(tree, linear, &data);
  }
}

/* More ranges than any filter of ours has, so that the tree needs its long jumps, with bodies behind it. */
static void compare_most_ranges(void) {
  static const struct vt_verdict allow = {.otherwise = SECCOMP_RET_ALLOW};
  static const struct vt_verdict refuse = {.otherwise = SECCOMP_RET_ERRNO | 1};
  static const struct vt_rule odd[] = {{.conditions = {{.test = VT_TEST_ANY_BIT, .mask = 1}}, .action = SECCOMP_RET_ERRNO | 2}};
  static const struct vt_verdict judged = {.rules = odd, .count = 1, .otherwise = SECCOMP_RET_ALLOW};
  static struct sock_filter tree_room[VT_FILTER_MAX], linear_room[LINEAR_MAX];
  for (size_t number = 0; number < VT_VERDICT_COUNT; number++) rules.verdicts[number] = number % 2 ? &allow : &refuse;
  for (size_t number = 9; number < VT_VERDICT_COUNT; number += 60) rules.verdicts[number] = &judged;
  struct vt_layout layout = {.arch = AUDIT_ARCH_X86_64, .hot = 257, .verdicts = rules.verdicts, .count = VT_VERDICT_COUNT};
  struct vt_program tree = {.instructions = tree_room, .capacity = VT_FILTER_MAX};
  struct vt_program linear = {.instructions = linear_room, .capacity = LINEAR_MAX};
  vt_bpf_tree(&tree, &layout);
  append_linear(&linear, layout.arch);
  CHECK(!tree.failed && tree.length > 900, "length %zu", tree.length);
  compare_samples(&tree, &linear, layout.arch);
  size_t before = tree.length;
  vt_bpf_share(&tree);
  CHECK(tree.length < before * 2 / 3, "length %zu of %zu", tree.length, before);
  compare_samples(&tree, &linear, layout.arch);
}

int main(void) {
  compare_most_ranges();
  struct vt_filter_options options;
  static struct sock_filter tree_room[VT_FILTER_MAX], linear_room[LINEAR_MAX];
  for (size_t i = 0; sample_options(i, &options); i++) {
    if (options.abi != 2 && options.abi != 5 && options.abi != 7) continue; /* where the rules differ */
    int length = vt_filter_build(&options, tree_room);
    vt_rules_select(&options, &rules);
    struct vt_program tree = {.instructions = tree_room, .length = length > 0 ? (size_t)length : 0};
    struct vt_program linear = {.instructions = linear_room, .capacity = LINEAR_MAX};
    append_linear(&linear, options.arch);
    CHECK(length > 0 && !linear.failed, "options %zu: tree %d, linear %zu", i, length, linear.length);
    compare_samples(&tree, &linear, options.arch);
    compare_rows(&tree, &linear, options.arch);
  }
  return finish("tree layout decides as a linear one");
}
