#include "confine/filter/seccomp.h"

#include <errno.h>
#include <linux/audit.h>

#include "confine/filter/bpf.h"
#include "confine/filter/seccomp_rules.h"

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
  struct vt_program program = {.instructions = out, .capacity = VT_FILTER_MAX};
  /* the most frequent call of commands that only read, among those that the kernel cannot cache */
  struct vt_layout layout = {
      .arch = options->arch,
      .hot = vt_syscall_number(VT_SYS_openat, options->arch),
      .verdicts = rules.verdicts,
      .count = VT_VERDICT_COUNT,
  };
  vt_bpf_tree(&program, &layout);
  vt_bpf_share(&program);
  if (program.failed) {
    errno = E2BIG;
    return -1;
  }
  return (int)program.length;
}
