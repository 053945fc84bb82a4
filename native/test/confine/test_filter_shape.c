/* Proves that every filter has a bounded length, that calls which are simply allowed stay cacheable, that no jump wraps around, and
 * that bad options are refused. */
#include <errno.h>
#include <linux/audit.h>
#include <string.h>

#include "confine/filter/seccomp.h"
#include "confine/filter/seccomp_groups.h"
#include "test/check.h"
#include "samples.h"
#include "simulator.h"

enum { LONGEST_PROGRAM = 4096 }; /* BPF_MAXINSNS, linux/bpf_common.h */

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
  check_costs(options, filter, (size_t)length);
}

/* Conditional jumps reach 255 instructions: what leads farther decides all the same, and a program that has no room fails. */
static void check_long_bodies(void) {
  static uint32_t values[250];
  static struct sock_filter filter[LONGEST_PROGRAM];
  for (uint32_t i = 0; i < 250; i++) values[i] = i;
  struct vt_condition one_of = {.test = VT_TEST_ONE_OF, .count = 250, .mask = UINT32_MAX, .values = values};
  struct vt_rule rules[2] = {{.conditions = {one_of}, .action = 1}, {.conditions = {one_of, one_of, one_of}, .action = 2}};
  rules[1].conditions[0].argument = 1;
  struct vt_verdict allow = {.otherwise = SECCOMP_RET_ALLOW}, long_one = {.rules = rules, .count = 2, .otherwise = 3};
  const struct vt_verdict *verdicts[3] = {&allow, &long_one, &allow};
  for (int hot = 0; hot < 2; hot++) {
    struct vt_layout layout = {.arch = AUDIT_ARCH_X86_64, .hot = hot, .verdicts = verdicts, .count = 3};
    int length = vt_bpf_build(&layout, filter, LONGEST_PROGRAM);
    for (uint32_t first = 0; first < 500; first += 249) {
      struct seccomp_data data = {.nr = 1, .arch = AUDIT_ARCH_X86_64, .args = {first, 249}};
      uint32_t action = simulate(filter, (size_t)length, &data).action;
      CHECK(length > 1000 && action == vt_verdict_answer(&long_one, data.args), "%u: %u of %d instructions", first, action, length);
    }
    for (size_t room = 0; room < (size_t)length; room += 100)
      CHECK(vt_bpf_build(&layout, filter, room) == -1 && errno == E2BIG, "room for %zu of %d", room, length);
  }
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
  check_long_bodies();
  check_bad_options();
  return finish("filter has a shape the kernel takes");
}
