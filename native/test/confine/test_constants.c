/* Proves at compile time that our constants are those of the headers that this machine has. */
#include <asm-generic/fcntl.h>
#include <asm/ioctls.h>
#include <linux/fs.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ioprio.h>
#include <linux/stat.h>

#include "confine/filter/seccomp_constants.h"
#include "test/check.h"

#define SAME(name) _Static_assert(VT_##name == (unsigned)(name), #name)

SAME(O_ACCMODE);
SAME(O_CREAT);
SAME(O_TRUNC);
SAME(O_NONBLOCK);
SAME(O_CLOEXEC);
SAME(S_ISUID);
SAME(S_ISGID);
SAME(TIOCGPTPEER);
_Static_assert(VT_O_TMPFILE == __O_TMPFILE, "O_TMPFILE");
#ifdef O_EMPTYPATH /* Linux 7.3 */
_Static_assert(VT_O_EMPTYPATH == O_EMPTYPATH, "O_EMPTYPATH");
#endif
SAME(F_GETOWNER_UIDS);
#ifdef FS_IOC_GETFSUUID /* Linux 6.9 */
SAME(FS_IOC_GETFSUUID);
SAME(FS_IOC_GETFSSYSFSPATH);
#endif
SAME(IPPROTO_MPTCP);
SAME(IPV6_FLOWLABEL_MGR);
SAME(IOPRIO_WHO_PROCESS);

int main(void) {
  CHECK(VT_O_CREAT == O_CREAT, "the rest is checked by the compiler");
  return finish("constants are those of the kernel's headers");
}
