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

SAME(AF_UNIX);
SAME(AF_INET);
SAME(AF_INET6);
SAME(AF_NETLINK);
SAME(SOCK_STREAM);
SAME(SOCK_DGRAM);
SAME(SOCK_SEQPACKET);
SAME(MSG_FASTOPEN);
SAME(SOL_IP);
SAME(SOL_TCP);
SAME(SOL_UDP);
SAME(SOL_IPV6);
SAME(SOL_NETLINK);
SAME(SO_BINDTOIFINDEX);
_Static_assert((VT_SOCK_TYPE_MASK & (SOCK_CLOEXEC | SOCK_NONBLOCK)) == 0, "flags of socket(2) stay outside the type");

int main(void) {
  CHECK(VT_AF_UNIX == AF_UNIX, "the rest is checked by the compiler");
  return finish("constants are those of libc's headers");
}
