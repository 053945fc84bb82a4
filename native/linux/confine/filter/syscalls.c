#include "confine/filter/syscalls.h"

#include <linux/audit.h>

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
