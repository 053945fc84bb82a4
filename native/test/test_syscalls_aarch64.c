/* Proves at compile time that our numbers for aarch64 are those of the generic table, and that what we say it
 * lacks is not in it. */

/* What arch/arm64/include/uapi/asm/unistd.h of Linux 6.1 asks the generic table for. */
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_TIME32_SYSCALLS
#define __ARCH_WANT_SYS_CLONE3
#define __ARCH_WANT_MEMFD_SECRET
#include <asm-generic/unistd.h>

#include "confine/syscalls.h"
#include "check.h"
#include "lacking_on_aarch64.h"
#include "newer_syscalls.h"

#define SAME(name, x86_64, aarch64) _Static_assert((aarch64) == __NR_##name, "aarch64 number of " #name);
VT_SYSCALLS(SAME)

#define COUNT_ONE(name, x86_64, aarch64) +1

int main(void) {
  CHECK((VT_SYSCALLS(COUNT_ONE)) == VT_SYSCALL_COUNT, "%d calls", VT_SYSCALL_COUNT);
  return finish("aarch64 numbers are those of asm-generic/unistd.h");
}
