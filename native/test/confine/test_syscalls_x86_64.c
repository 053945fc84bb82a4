/* Proves at compile time that our numbers for x86_64 are those of the kernel's header. */
#if defined(__x86_64__)
#include <asm/unistd_64.h>

#include "confine/filter/syscalls.h"
#include "test/check.h"

/* Newer than some distributions' headers; where the header has them, its own value is compared. */
#include "newer_syscalls.h"

#define SAME(name, x86_64, aarch64) _Static_assert((x86_64) == __NR_##name, "x86_64 number of " #name);
VT_SYSCALLS(SAME)

#define COUNT_ONE(name, x86_64, aarch64) +1

int main(void) {
  CHECK((VT_SYSCALLS(COUNT_ONE)) == VT_SYSCALL_COUNT, "%d calls", VT_SYSCALL_COUNT);
  return finish("x86_64 numbers are those of asm/unistd_64.h");
}
#else
#include <stdio.h>

int main(void) {
  puts("x86_64 numbers: skipped, this machine has no asm/unistd_64.h of x86_64");
  return 0;
}
#endif
