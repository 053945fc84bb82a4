/* Proves at compile time that our constants are those of the headers that this machine has. */
#include <asm-generic/fcntl.h>
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ioprio.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <linux/sockios.h>

#include "../linux/seccomp_constants.h"
#include "check.h"

#define SAME(name) _Static_assert(VT_##name == (unsigned)(name), #name)

SAME(O_ACCMODE);
SAME(O_TRUNC);
SAME(LOCK_EX);
SAME(F_DUPFD);
SAME(F_GETFD);
SAME(F_SETFD);
SAME(F_GETFL);
SAME(F_SETFL);
SAME(F_GETLK);
SAME(F_SETLK);
SAME(F_SETLKW);
SAME(F_GETOWN);
SAME(F_GETSIG);
SAME(F_GETOWN_EX);
SAME(F_GETOWNER_UIDS);
SAME(F_OFD_GETLK);
SAME(F_OFD_SETLK);
SAME(F_OFD_SETLKW);

SAME(TCGETS);
SAME(TCGETA);
SAME(TIOCGPGRP);
SAME(TIOCOUTQ);
SAME(TIOCGWINSZ);
SAME(FIONREAD);
SAME(FIONBIO);
SAME(TIOCGSID);
SAME(TCGETS2);
SAME(TIOCGPTN);
SAME(FIONCLEX);
SAME(FIOCLEX);
SAME(FIOQSIZE);

SAME(FIGETBSZ);
SAME(FS_IOC_GETFLAGS);
SAME(FS_IOC32_GETFLAGS);
SAME(FS_IOC_GETVERSION);
SAME(FS_IOC32_GETVERSION);
SAME(FS_IOC_FIEMAP);
SAME(FS_IOC_FSGETXATTR);
SAME(BLKROGET);
SAME(BLKGETSIZE);
SAME(BLKSSZGET);
SAME(BLKGETSIZE64);
SAME(BLKPBSZGET);
SAME(NS_GET_USERNS);
SAME(NS_GET_PARENT);
SAME(NS_GET_NSTYPE);
SAME(NS_GET_OWNER_UID);
#ifdef FS_IOC_GETFSUUID /* Linux 6.9 */
SAME(FS_IOC_GETFSUUID);
SAME(FS_IOC_GETFSSYSFSPATH);
#endif

SAME(SIOCGIFNAME);
SAME(SIOCGIFCONF);
SAME(SIOCGIFFLAGS);
SAME(SIOCGIFADDR);
SAME(SIOCGIFDSTADDR);
SAME(SIOCGIFBRDADDR);
SAME(SIOCGIFNETMASK);
SAME(SIOCGIFMETRIC);
SAME(SIOCGIFMTU);
SAME(SIOCGIFHWADDR);
SAME(SIOCGIFINDEX);
SAME(SIOCGIFTXQLEN);
SAME(SIOCGIFMAP);

_Static_assert(VT_IPPROTO_DEFAULT == IPPROTO_IP, "linux/in.h");
SAME(IPPROTO_TCP);
SAME(IPPROTO_UDP);
SAME(NETLINK_ROUTE);
SAME(NETLINK_SOCK_DIAG);
_Static_assert(VT_SOCKADDR_NL_SIZE == sizeof(struct sockaddr_nl), "linux/netlink.h");
_Static_assert(VT_SOCKADDR_IN_SIZE == sizeof(struct sockaddr_in), "linux/in.h");
_Static_assert(VT_SOCKADDR_IN6_SIZE == sizeof(struct sockaddr_in6), "linux/in6.h");
_Static_assert(VT_SOCKADDR_STORAGE_SIZE == sizeof(struct __kernel_sockaddr_storage), "linux/socket.h");

SAME(CLONE_VM);
SAME(CLONE_FS);
SAME(CLONE_FILES);
SAME(CLONE_SIGHAND);
SAME(CLONE_PARENT);
SAME(CLONE_THREAD);
SAME(CLONE_NEWNS);
SAME(CLONE_SYSVSEM);
SAME(CLONE_NEWCGROUP);
SAME(CLONE_NEWUTS);
SAME(CLONE_NEWIPC);
SAME(CLONE_NEWUSER);
SAME(CLONE_NEWPID);
SAME(CLONE_NEWNET);

SAME(FUTEX_REQUEUE);
SAME(FUTEX_CMP_REQUEUE);
SAME(FUTEX_CMP_REQUEUE_PI);
SAME(FUTEX_CLOCK_REALTIME);
SAME(IOPRIO_WHO_PROCESS);

int main(void) {
  CHECK(VT_TCGETS == TCGETS, "the rest is checked by the compiler");
  return finish("constants are those of the kernel's headers");
}
