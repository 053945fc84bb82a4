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

#include "base/kernel.h"
#include "confine/filter/syscalls.h"
#include "test/check.h"
#include "newer_syscalls.h"

/* Those that the table has are macros, which may not be defined here again. */
enum {
  __NR_open = VT_NO_SYSCALL, __NR_creat = VT_NO_SYSCALL, __NR_unlink = VT_NO_SYSCALL, __NR_rmdir = VT_NO_SYSCALL,
  __NR_rename = VT_NO_SYSCALL, __NR_link = VT_NO_SYSCALL, __NR_symlink = VT_NO_SYSCALL, __NR_mkdir = VT_NO_SYSCALL,
  __NR_mknod = VT_NO_SYSCALL, __NR_chmod = VT_NO_SYSCALL, __NR_chown = VT_NO_SYSCALL, __NR_lchown = VT_NO_SYSCALL,
  __NR_utime = VT_NO_SYSCALL, __NR_utimes = VT_NO_SYSCALL, __NR_futimesat = VT_NO_SYSCALL, __NR_iopl = VT_NO_SYSCALL,
  __NR_ioperm = VT_NO_SYSCALL, __NR_modify_ldt = VT_NO_SYSCALL,
};

#define SAME(name, x86_64, aarch64) _Static_assert((aarch64) == __NR_##name, "aarch64 number of " #name);
VT_SYSCALLS(SAME)

#define SAME_EVERYWHERE(ours, theirs) _Static_assert((int)(ours) == __NR_##theirs, "number of " #theirs)
SAME_EVERYWHERE(NR_PIDFD_SEND_SIGNAL, pidfd_send_signal);
SAME_EVERYWHERE(NR_PIDFD_OPEN, pidfd_open);
SAME_EVERYWHERE(NR_CLONE3, clone3);
SAME_EVERYWHERE(NR_CLOSE_RANGE, close_range);
SAME_EVERYWHERE(NR_OPENAT2, openat2);
SAME_EVERYWHERE(NR_PIDFD_GETFD, pidfd_getfd);
SAME_EVERYWHERE(NR_LANDLOCK_CREATE_RULESET, landlock_create_ruleset);
SAME_EVERYWHERE(NR_LANDLOCK_ADD_RULE, landlock_add_rule);
SAME_EVERYWHERE(NR_LANDLOCK_RESTRICT_SELF, landlock_restrict_self);

#define COUNT_ONE(name, x86_64, aarch64) +1

int main(void) {
  CHECK((VT_SYSCALLS(COUNT_ONE)) == VT_SYSCALL_COUNT, "%d calls", VT_SYSCALL_COUNT);
  return finish("aarch64 numbers are those of asm-generic/unistd.h");
}
