/* As test_constants.c, for what only libc's headers give to user space. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "confine/filter/seccomp_constants.h"
#include "test/check.h"

#define SAME(name) _Static_assert(VT_##name == (unsigned)(name), #name)

SAME(F_SETLEASE);
SAME(F_GETLEASE);
SAME(F_DUPFD_CLOEXEC);
SAME(F_GETPIPE_SZ);
SAME(F_ADD_SEALS);
SAME(F_GET_SEALS);
SAME(F_GET_RW_HINT);
SAME(F_SET_RW_HINT);
SAME(F_GET_FILE_RW_HINT);
SAME(F_SET_FILE_RW_HINT);
SAME(AF_UNIX);
SAME(AF_INET);
SAME(AF_INET6);
SAME(AF_NETLINK);
SAME(SOCK_STREAM);
SAME(SOCK_DGRAM);
SAME(SOCK_SEQPACKET);
SAME(MSG_FASTOPEN);
SAME(SOL_SOCKET);
SAME(SOL_IP);
SAME(SOL_TCP);
SAME(SOL_UDP);
SAME(SOL_IPV6);
SAME(SOL_NETLINK);
SAME(SO_REUSEADDR);
SAME(SO_REUSEPORT);
SAME(SO_BINDTODEVICE);
SAME(SO_BINDTOIFINDEX);
SAME(TCP_FASTOPEN);
SAME(TCP_FASTOPEN_CONNECT);
SAME(TCP_ULP);
SAME(TCP_FASTOPEN_KEY);
SAME(IP_OPTIONS);
SAME(IP_ADD_MEMBERSHIP);
SAME(IP_ADD_SOURCE_MEMBERSHIP);
SAME(IP_MSFILTER);
SAME(MCAST_JOIN_GROUP);
SAME(MCAST_JOIN_SOURCE_GROUP);
SAME(MCAST_MSFILTER);
SAME(IPV6_ADD_MEMBERSHIP);
SAME(RLIMIT_FSIZE);
SAME(RLIMIT_CORE);
SAME(RLIMIT_LOCKS);
SAME(PRIO_PROCESS);
_Static_assert((VT_SOCK_TYPE_MASK & (SOCK_CLOEXEC | SOCK_NONBLOCK)) == 0, "flags of socket(2) stay outside the type");

int main(void) {
  CHECK(VT_AF_UNIX == AF_UNIX, "the rest is checked by the compiler");
  return finish("constants are those of libc's headers");
}
