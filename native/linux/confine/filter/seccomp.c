#include "confine/filter/seccomp.h"

#include <errno.h>
#include <linux/audit.h>

#include "confine/filter/seccomp_groups.h"

#define ON_X86_64(name, x86_64, aarch64) [VT_SYS_##name] = (x86_64),
#define ON_AARCH64(name, x86_64, aarch64) [VT_SYS_##name] = (aarch64),

static const int16_t x86_64_numbers[VT_SYSCALL_COUNT] = {VT_SYSCALLS(ON_X86_64)};
static const int16_t aarch64_numbers[VT_SYSCALL_COUNT] = {VT_SYSCALLS(ON_AARCH64)};

int vt_syscall_number(enum vt_syscall call, uint32_t arch) {
  if ((unsigned)call >= VT_SYSCALL_COUNT) return VT_NO_SYSCALL;
  if (arch == AUDIT_ARCH_X86_64) return x86_64_numbers[call];
  if (arch == AUDIT_ARCH_AARCH64) return aarch64_numbers[call];
  return VT_NO_SYSCALL;
}

enum vt_syscall vt_syscall_by_number(int number, uint32_t arch) {
  for (int call = 0; number >= 0 && call < VT_SYSCALL_COUNT; call++)
    if (vt_syscall_number((enum vt_syscall)call, arch) == number) return (enum vt_syscall)call;
  return VT_SYSCALL_COUNT;
}

#define NAME(name, x86_64, aarch64) [VT_SYS_##name] = #name,

const char *vt_syscall_name(enum vt_syscall call) {
  static const char *const names[VT_SYSCALL_COUNT] = {VT_SYSCALLS(NAME)};
  return (unsigned)call < VT_SYSCALL_COUNT ? names[call] : "unknown";
}

static const struct vt_verdict allowed = {.otherwise = SECCOMP_RET_ALLOW};
static const struct vt_verdict unknown = {.otherwise = SECCOMP_RET_ERRNO | ENOSYS};

/* Landlock ABI 3 added the right to truncate, ABI 6 the scope of signals (landlock(7)). */
static uint32_t bits_of(const struct vt_filter_options *options) {
  return (options->network ? NETWORK : NO_NETWORK) | (options->judge ? LISTENER : NO_LISTENER) |
         (options->terminal ? TERMINAL : 0) | (options->unwritable ? 0 : WRITABLE) |
         (options->abi < 3 || options->unwritable ? TRUNCATE_UNSEEN : 0) |
         (options->abi < 6 ? SIGNALS_UNSCOPED : 0) | (options->workspace ? WORKSPACE : 0) |
         (options->proxied && options->judge && !options->network ? PROXIED : 0) |
         (options->own_sockets && options->judge ? OWN_SOCKETS : 0) |
         (options->own_sockets && options->judge && options->sessions ? SESSIONS : 0) |
         ((options->proxied || options->own_sockets) && options->judge && !options->network ? UNROUTED : 0) |
         ((options->own_sockets || (options->proxied && !options->network)) && options->judge ? CONNECTS_NOTIFIED : 0);
}

static uint32_t resolve_action(uint32_t action, bool report) {
  if (!(action & VT_TOLD)) return action;
  return report ? SECCOMP_RET_USER_NOTIF : action & ~VT_TOLD;
}

/* Keeps the rules that apply, up to one without conditions. Drops last rules that answer as the fallback does. */
static void resolve(struct vt_rules *rules, size_t g, uint32_t bits, bool report) {
  const struct vt_verdict *told = &vt_groups[g].verdict;
  struct vt_rule *own = rules->of_verdict[g];
  struct vt_verdict verdict = {.rules = own, .otherwise = resolve_action(told->otherwise, report)};
  for (size_t i = 0; i < told->count; i++) {
    struct vt_rule rule = told->rules[i];
    if (rule.when & ~bits) continue;
    rule.action = resolve_action(rule.action, report);
    if (rule.conditions[0].test == VT_TEST_NONE) {
      verdict.otherwise = rule.action;
      break;
    }
    own[verdict.count++] = rule;
  }
  while (verdict.count > 0 && own[verdict.count - 1].action == verdict.otherwise) verdict.count--;
  rules->of_group[g] = verdict;
}

void vt_rules_select(const struct vt_filter_options *options, struct vt_rules *rules) {
  uint32_t bits = bits_of(options);
  for (size_t number = 0; number <= VT_LAST_REVIEWED_SYSCALL; number++) rules->verdicts[number] = &allowed;
  rules->verdicts[VT_LAST_REVIEWED_SYSCALL + 1] = &unknown;
  for (size_t g = 0; g < vt_group_count; g++) {
    resolve(rules, g, bits, options->report);
    for (size_t c = 0; c < vt_groups[g].count; c++) {
      int number = vt_syscall_number(vt_groups[g].calls[c], options->arch);
      if (number != VT_NO_SYSCALL) rules->verdicts[number] = &rules->of_group[g];
    }
  }
}

uint32_t vt_rules_answer(const struct vt_rules *rules, const struct seccomp_data *call) {
  bool reviewed = call->nr >= 0 && call->nr <= VT_LAST_REVIEWED_SYSCALL;
  return vt_verdict_answer(rules->verdicts[reviewed ? call->nr : VT_LAST_REVIEWED_SYSCALL + 1], call->args);
}

uint32_t vt_filter_native_arch(void) {
#if defined(__x86_64__) && defined(__LP64__)
  return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__) && defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return AUDIT_ARCH_AARCH64;
#else
#error "vitrine's filter knows x86_64 and little-endian aarch64 only"
#endif
}

static bool is_valid(const struct vt_filter_options *options) {
  return options && options->abi >= 1 && vt_syscall_number(VT_SYS_openat, options->arch) != VT_NO_SYSCALL;
}

int vt_filter_build(const struct vt_filter_options *options, struct sock_filter out[VT_FILTER_MAX]) {
  if (!is_valid(options) || !out) {
    errno = EINVAL;
    return -1;
  }
  struct vt_rules rules;
  vt_rules_select(options, &rules);
  /* the most frequent call of commands that only read, among those that the kernel cannot cache */
  struct vt_layout layout = {
      .arch = options->arch,
      .hot = vt_syscall_number(VT_SYS_openat, options->arch),
      .verdicts = rules.verdicts,
      .count = VT_VERDICT_COUNT,
  };
  return vt_bpf_build(&layout, out, VT_FILTER_MAX);
}
