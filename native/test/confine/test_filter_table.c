/* Proves that the filter answers every system call as the plain table says, and as the rules by which the notifier answers, on both
 * architectures, in every situation. */
#include <inttypes.h>
#include <linux/audit.h>
#include <string.h>

#include "test/check.h"
#include "expectations.h"
#include "simulator.h"

enum { LAST_NUMBER = 600, LAST_REVIEWED = 472 };

struct subject {
  struct vt_filter_options options;
  struct sock_filter filter[VT_FILTER_MAX];
  size_t length;
  struct vt_rules rules;
};

static struct run answer(const struct subject *subject, uint32_t arch, int number, const uint64_t *arguments) {
  struct seccomp_data data = {.nr = number, .arch = arch};
  memcpy(data.args, arguments, sizeof data.args);
  return simulate(subject->filter, subject->length, &data);
}

/* Returns whether the filter looked at the arguments. */
static bool expect(const struct subject *subject, int number, const uint64_t *arguments, uint32_t action,
                   const char *call) {
  struct run run = answer(subject, subject->options.arch, number, arguments);
  struct seccomp_data data = {.nr = number, .arch = subject->options.arch};
  const struct vt_filter_options *options = &subject->options;
  memcpy(data.args, arguments, sizeof data.args);
  CHECK(vt_rules_answer(&subject->rules, &data) == run.action, "%s(%d): the rules say something else", call, number);
  CHECK(run.fault == FAULT_NONE && run.action == action,
        "%s %s(%d) abi %d network %d judge %d report %d workspace %d: %#" PRIx64 " %#" PRIx64 " %#" PRIx64 " %#" PRIx64 ": %#x, expected %#x",
        arch_name(options->arch), call, number, options->abi, options->network, options->judge, options->report, options->workspace, arguments[0],
        arguments[1], arguments[2], arguments[3], run.action, action);
  return run.read_arguments;
}

/* What was answered without a look at the arguments is answered for all. */
static void expect_always(const struct subject *subject, int number, uint32_t action, const char *call) {
  uint64_t arguments[ARGUMENTS];
  for (size_t i = 0; sample_arguments(i, arguments); i++)
    if (!expect(subject, number, arguments, action, call)) return;
}

static bool depends_on_arguments(uint32_t arch, int number) {
  for (size_t i = 0; i < argument_row_count; i++)
    if (number_on(arch, argument_rows[i].x86_64, argument_rows[i].aarch64) == number) return true;
  return false;
}

static const struct constant_row *find_constant(const struct subject *subject, int number) {
  for (size_t i = 0; i < constant_row_count; i++) {
    const struct constant_row *row = &constant_rows[i];
    int row_number = number_on(subject->options.arch, row->x86_64, row->aarch64);
    if (row_number == number && scope_holds(row->scope, &subject->options)) return row;
  }
  return NULL;
}

/* Every number: as its row says, ENOSYS beyond the reviewed ones, let through otherwise. */
static void check_numbers(const struct subject *subject) {
  uint32_t arch = subject->options.arch;
  for (int number = 0; number <= LAST_NUMBER; number++) {
    const struct constant_row *row = find_constant(subject, number);
    if (row) expect_always(subject, number, expected_action(row->expected, &subject->options), row->call);
    else if (number > LAST_REVIEWED) expect_always(subject, number, expected_action(ENOSYS, &subject->options), "unknown");
    else if (!depends_on_arguments(arch, number)) expect_always(subject, number, expected_action(LET, &subject->options), "other");
  }
}

/* x32 numbers (asm/unistd.h __X32_SYSCALL_BIT), negative ones, and all powers of two. */
static void check_odd_numbers(const struct subject *subject) {
  const uint64_t none[ARGUMENTS] = {0};
  for (int number = 0; number <= LAST_NUMBER; number++)
    expect(subject, 0x40000000 | number, none, expected_action(ENOSYS, &subject->options), "x32");
  for (int bit = 9; bit < 32; bit++) {
    expect(subject, (int)(1u << bit), none, expected_action(ENOSYS, &subject->options), "power of two");
    expect(subject, (int)(1u << bit | 1u), none, expected_action(ENOSYS, &subject->options), "power of two, plus one");
  }
  for (int number = -1; number > -1000; number--) expect(subject, number, none, expected_action(ENOSYS, &subject->options), "negative");
}

static void check_foreign_architectures(const struct subject *subject) {
  static const uint32_t all[] = {AUDIT_ARCH_I386,    AUDIT_ARCH_ARM, AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64,
                                 AUDIT_ARCH_RISCV64, 0,              UINT32_MAX};
  const uint64_t none[ARGUMENTS] = {0};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i] == subject->options.arch) continue;
    for (int number = -1; number <= LAST_NUMBER; number++) {
      struct run run = answer(subject, all[i], number, none);
      CHECK(run.action == SECCOMP_RET_KILL_PROCESS, "arch %#x, number %d: %#x", all[i], number, run.action);
    }
  }
}

/* prlimit64's third argument is a pointer: there both halves count. All others here are 32 bits wide, and the kernel ignores the
 * rest. */
static bool is_wide(const struct argument_row *row, size_t argument) {
  return strcmp(row->call, "prlimit64") == 0 && argument == 2;
}

static void check_argument_row(const struct subject *subject, const struct argument_row *row, int number) {
  static const uint64_t high_halves[] = {0, UINT64_C(1) << 32, UINT64_C(0xffffffff) << 32, UINT64_C(0x80000001) << 32};
  for (size_t h = 0; h < sizeof high_halves / sizeof *high_halves; h++) {
    uint64_t arguments[ARGUMENTS] = {0};
    for (size_t i = 0; i < ARGUMENTS; i++) arguments[i] = row->arguments[i] | (is_wide(row, i) ? 0 : high_halves[h]);
    expect(subject, number, arguments, expected_action(row->expected, &subject->options), row->call);
  }
}

static void check_argument_rows(const struct subject *subject) {
  for (size_t i = 0; i < argument_row_count; i++) {
    const struct argument_row *row = &argument_rows[i];
    int number = number_on(subject->options.arch, row->x86_64, row->aarch64);
    if (number != NONE && scope_holds(row->scope, &subject->options)) check_argument_row(subject, row, number);
  }
}

int main(void) {
  static struct subject subject;
  for (size_t i = 0; sample_options(i, &subject.options); i++) {
    int length = vt_filter_build(&subject.options, subject.filter);
    CHECK(length > 0, "options %zu", i);
    subject.length = length > 0 ? (size_t)length : 0;
    vt_rules_select(&subject.options, &subject.rules);
    check_numbers(&subject);
    check_odd_numbers(&subject);
    check_foreign_architectures(&subject);
    check_argument_rows(&subject);
  }
  return finish("filter answers as the table says");
}
