/* bind(2): a client's is done here, on the caller's socket, with an address that its memory cannot change any more. A call
 * that went on could be given another address, or another socket, after it was judged. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "judge.h"
#include "take.h"

union address {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_in6 in6;
  struct sockaddr_nl nl;
  struct sockaddr_storage storage;
};

static int option(int fd, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(fd, SOL_SOCKET, name, &value, &size) ? -1 : value;
}

/* A port that the kernel picks is what a client has anyway once it connects or sends; listen(2) is refused. The port stands at
 * the same place in both. */
static bool is_of_client(int fd, const union address *address) {
  int domain = option(fd, SO_DOMAIN);
  if (domain == AF_NETLINK) return true;
  return (domain == AF_INET || domain == AF_INET6) && address->in.sin_port == 0;
}

/* Without a number the kernel would take that of the process that binds: ours (netlink(7)). */
static int bind_for(const struct vt_inquiry *inquiry, int fd, union address *address, socklen_t length) {
  bool numbered = option(fd, SO_DOMAIN) == AF_NETLINK && address->nl.nl_pid == 0;
  if (numbered) address->nl.nl_pid = (uint32_t)vt_caller_process(&inquiry->caller);
  if (bind(fd, &address->any, length) == 0) return 0;
  if (!numbered || errno != EADDRINUSE) return errno;
  address->nl.nl_pid = 0;
  return bind(fd, &address->any, length) ? errno : 0;
}

void vt_judge_bind(struct vt_inquiry *inquiry) {
  union address address = {.storage.ss_family = AF_UNSPEC};
  socklen_t length = (socklen_t)inquiry->notification.data.args[2];
  ssize_t got = length <= sizeof address
                    ? vt_caller_read(&inquiry->caller, inquiry->notification.data.args[1], &address, length)
                    : -1;
  int fd = got == (ssize_t)length ? vt_take_descriptor(inquiry, (int)inquiry->notification.data.args[0]) : -1;
  if (fd >= 0 && is_of_client(fd, &address)) {
    inquiry->error = bind_for(inquiry, fd, &address, length);
    inquiry->done = inquiry->error == 0;
  } else {
    inquiry->error = EACCES;
    inquiry->counted = true;
    vt_describe(inquiry);
  }
  if (fd >= 0) close(fd);
}
