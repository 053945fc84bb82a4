/* Proves that every filter is one the kernel takes: known instructions, jumps inside, bounded length; that nothing
 * is written beyond its room; that calls which are simply allowed stay cacheable; and that bad options are
 * refused. */
#include <errno.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>

#include "confine/filter/bpf.h"
#include "confine/filter/seccomp_groups.h"
#include "test/check.h"
#include "samples.h"
#include "simulator.h"

enum { LONGEST_PROGRAM = 4096 }; /* BPF_MAXINSNS, linux/bpf_common.h */

static bool is_conditional(const struct sock_filter *instruction) {
  return BPF_CLASS(instruction->code) == BPF_JMP && BPF_OP(instruction->code) != BPF_JA;
}

static void check_jumps(const struct sock_filter *filter, size_t length) {
  for (size_t i = 0; i < length; i++) {
    size_t farthest = i + 1;
    if (filter[i].code == (BPF_JMP | BPF_JA)) farthest += filter[i].k;
    if (is_conditional(&filter[i])) farthest += filter[i].jt > filter[i].jf ? filter[i].jt : filter[i].jf;
    bool ends = filter[i].code == (BPF_RET | BPF_K);
    CHECK(ends || farthest < length, "instruction %zu reaches %zu of %zu", i, farthest, length);
  }
}

/* Those that the action cache understands (kernel/seccomp.c seccomp_is_const_allow) and no other. */
static void check_instructions(const struct sock_filter *filter, size_t length) {
  static const uint16_t known[] = {BPF_LD | BPF_W | BPF_ABS,   BPF_ALU | BPF_AND | BPF_K, BPF_JMP | BPF_JA,
                                   BPF_JMP | BPF_JEQ | BPF_K,  BPF_JMP | BPF_JGE | BPF_K, BPF_JMP | BPF_JSET | BPF_K,
                                   BPF_RET | BPF_K};
  for (size_t i = 0; i < length; i++) {
    bool found = false;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) found = found || known[k] == filter[i].code;
    CHECK(found, "instruction %zu has code %#x", i, filter[i].code);
  }
}

static bool is_reachable(const bool *reached, const struct sock_filter *filter, size_t index) {
  for (size_t i = 0; i < index; i++) {
    if (!reached[i] || filter[i].code == (BPF_RET | BPF_K)) continue;
    if (filter[i].code == (BPF_JMP | BPF_JA)) {
      if (i + 1 + filter[i].k == index) return true;
    } else if (is_conditional(&filter[i])) {
      if (i + 1 + filter[i].jt == index || i + 1 + filter[i].jf == index) return true;
    } else if (i + 1 == index) return true;
  }
  return index == 0;
}

static void check_no_dead_code(const struct sock_filter *filter, size_t length) {
  bool reached[VT_FILTER_MAX];
  for (size_t i = 0; i < length; i++) {
    reached[i] = is_reachable(reached, filter, i);
    CHECK(reached[i], "instruction %zu is never reached", i);
  }
}

/* The kernel caches "allow" only where no argument was looked at. What it cannot cache must be short: openat is
 * asked most. */
static void check_costs(const struct vt_filter_options *options, const struct sock_filter *filter, size_t length) {
  static struct vt_rules rules;
  vt_rules_select(options, &rules);
  for (int number = 0; number < VT_VERDICT_COUNT; number++) {
    struct seccomp_data data = {.nr = number, .arch = options->arch};
    struct run run = simulate(filter, length, &data);
    bool constant = vt_verdict_is_constant(rules.verdicts[number]);
    CHECK(run.read_arguments != constant, "number %d", number);
    CHECK(!constant || run.steps <= 18, "number %d takes %zu steps", number, run.steps);
  }
  struct seccomp_data openat = {.nr = vt_syscall_number(VT_SYS_openat, options->arch), .arch = options->arch};
  size_t steps = simulate(filter, length, &openat).steps;
  size_t most = (options->report ? 12u : 10u) + (options->unwritable ? 0 : 2) + (options->own_sockets ? 4 : 0);
  CHECK(steps <= most, "reading openat takes %zu steps", steps);
}

/* A call in two groups would get the verdict of the later one, whatever the rules of the other say. */
static void check_groups(void) {
  size_t groups_of[VT_SYSCALL_COUNT] = {0};
  for (size_t g = 0; g < vt_group_count; g++)
    for (size_t c = 0; c < vt_groups[g].count; c++) groups_of[vt_groups[g].calls[c]]++;
  for (size_t call = 0; call < VT_SYSCALL_COUNT; call++)
    CHECK(groups_of[call] <= 1, "call %zu is in %zu groups", call, groups_of[call]);
}

static void check_filter(const struct vt_filter_options *options) {
  static struct sock_filter filter[VT_FILTER_MAX];
  int length = vt_filter_build(options, filter);
  const char *arch = arch_name(options->arch);
  CHECK(length > 0 && length <= VT_FILTER_MAX && length <= LONGEST_PROGRAM, "%s: length %d", arch, length);
  if (length <= 0) return;
  check_instructions(filter, (size_t)length);
  check_jumps(filter, (size_t)length);
  check_no_dead_code(filter, (size_t)length);
  check_costs(options, filter, (size_t)length);
}

/* Rooms of every size below the need, each allocated exactly, so that AddressSanitizer sees the first byte beyond. */
static void check_room(void) {
  struct vt_filter_options options = {.arch = AUDIT_ARCH_X86_64, .abi = 1, .network = true};
  static struct vt_rules rules;
  vt_rules_select(&options, &rules);
  struct vt_layout layout = {.arch = options.arch, .hot = 257, .verdicts = rules.verdicts, .count = VT_VERDICT_COUNT};
  static struct sock_filter enough[VT_FILTER_MAX];
  struct vt_program whole = {.instructions = enough, .capacity = VT_FILTER_MAX};
  vt_bpf_tree(&whole, &layout);
  size_t needed = whole.length;
  for (size_t room = 1; room <= needed; room++) {
    struct sock_filter *filter = calloc(room, sizeof *filter);
    struct vt_program program = {.instructions = filter, .capacity = room};
    vt_bpf_tree(&program, &layout);
    CHECK(program.failed == (room < needed) && program.length <= room, "room %zu of %zu", room, needed);
    free(filter);
  }
}

/* Conditional jumps reach 255 instructions: what would need more must fail, not wrap around. */
static void check_long_bodies(void) {
  static uint32_t values[200];
  static struct sock_filter filter[LONGEST_PROGRAM];
  struct vt_condition condition = {.test = VT_TEST_ONE_OF, .count = 200, .mask = UINT32_MAX, .values = values};
  struct vt_rule rules[2] = {{.conditions = {condition}}, {.conditions = {condition}}};
  struct vt_rule long_rule = {.conditions = {condition, condition, condition}};
  struct vt_verdict allow = {.otherwise = SECCOMP_RET_ALLOW}, many_rules = {.rules = rules, .count = 2};
  struct vt_verdict long_conjunction = {.rules = &long_rule, .count = 1};
  const struct vt_verdict *verdicts[3] = {&allow, &many_rules, &allow};
  struct vt_program hot = {.instructions = filter, .capacity = LONGEST_PROGRAM}, body = hot, cold = hot;
  vt_bpf_tree(&hot, &(struct vt_layout){.arch = AUDIT_ARCH_X86_64, .hot = 1, .verdicts = verdicts, .count = 3});
  CHECK(hot.failed, "a hot body of %zu instructions", vt_bpf_verdict_length(&many_rules));
  vt_bpf_verdict(&body, &long_conjunction);
  CHECK(body.failed, "a rule of %zu instructions", vt_bpf_verdict_length(&long_conjunction));
  vt_bpf_tree(&cold, &(struct vt_layout){.arch = AUDIT_ARCH_X86_64, .hot = 0, .verdicts = verdicts, .count = 3});
  CHECK(!cold.failed && cold.length < LONGEST_PROGRAM, "the same body behind the tree");
}

static void check_refused(const struct vt_filter_options *options, const char *what) {
  static struct sock_filter filter[VT_FILTER_MAX];
  errno = 0;
  CHECK(vt_filter_build(options, filter) == -1 && errno == EINVAL, "%s", what);
}

static void check_bad_options(void) {
  struct vt_filter_options foreign = {.arch = AUDIT_ARCH_I386, .abi = 7}, none = {.arch = 0, .abi = 7};
  struct vt_filter_options no_abi = {.arch = AUDIT_ARCH_X86_64, .abi = 0};
  struct vt_filter_options error = {.arch = AUDIT_ARCH_X86_64, .abi = -1};
  check_refused(NULL, "no options");
  check_refused(&foreign, "an architecture without a table");
  check_refused(&none, "no architecture");
  check_refused(&no_abi, "no Landlock");
  check_refused(&error, "a failed query for the ABI");
  CHECK(vt_syscall_number(VT_SYSCALL_COUNT, AUDIT_ARCH_X86_64) == VT_NO_SYSCALL, "a call past the table");
  CHECK(vt_syscall_number(VT_SYS_open, AUDIT_ARCH_AARCH64) == VT_NO_SYSCALL, "open on aarch64");
}

int main(void) {
  struct vt_filter_options options;
  for (size_t i = 0; sample_options(i, &options); i++) check_filter(&options);
  check_groups();
  check_room();
  check_long_bodies();
  check_bad_options();
  return finish("filter has a shape the kernel takes");
}
