/* Describes the target of a refused call, for the report only. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/procfs.h"
#include "confine/filter/seccomp_constants.h"
#include "confine/probe.h"
#include "notify/caller/caller.h"
#include "notify/caller/place.h"
#include "notify/dispatch.h"
#include "notify/sockets/address.h"

void vt_say(struct vt_notification *notification, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(notification->text, sizeof notification->text, format, values);
  va_end(values);
}

static void describe_descriptor(struct vt_notification *notification, int fd) {
  ssize_t length = vt_caller_path(&notification->caller, fd, notification->text, sizeof notification->text);
  notification->is_path = length > 0 && notification->text[0] == '/'; /* not "pipe:[1]" */
  if (!notification->is_path) notification->text[0] = 0;
  else if (notification->call->operation == VT_OP_METADATA)
    notification->is_protected = vt_place_is_protected(notification, notification->text, NULL);
}

bool vt_read_given(struct vt_notification *notification) {
  uint64_t address = vt_argument(notification, notification->call->argument);
  if (notification->given_known) return true;
  notification->given[0] = 0;
  if (address && vt_caller_string(&notification->caller, address, notification->given, sizeof notification->given)) return false;
  notification->given_known = notification->given[0] != 0;
  return true;
}

static void describe_path(struct vt_notification *notification) {
  const struct vt_call *call = notification->call;
  struct vt_resolved place;
  int directory = vt_directory(notification, call->directory);
  if (!vt_read_given(notification)) return;
  /* No path or an empty one means the descriptor itself (utimensat(2), AT_EMPTY_PATH). */
  if (!notification->given[0]) {
    if (directory >= 0) describe_descriptor(notification, directory);
    return;
  }
  notification->is_path = true;
  int error = vt_resolve(&notification->caller, directory, notification->given, vt_call_follows(call, &notification->notif.data), &place);
  strcpy(notification->text, error ? notification->given : place.path);
  if (call->operation == VT_OP_METADATA && !error)
    notification->is_protected = vt_place_is_protected(notification, place.path, place.exists ? &place.status : NULL);
  /* A missing file has no metadata: touch(1), denied the creation, still sets the times. Not counted. */
  bool missing = error == ENOENT || error == ENOTDIR || (!error && !place.exists);
  if (missing && call->operation == VT_OP_METADATA) notification->counted = false;
  vt_resolved_close(&place);
}

/* Names internet sockets that no setting allows (outside PLAIN_INTERNET, seccomp_rules.c), else "". */
static const char *kind_of_internet(const struct vt_notification *notification) {
  int type = (int)vt_argument(notification, 1) & VT_SOCK_TYPE_MASK, protocol = (int)vt_argument(notification, 2);
  if (type == SOCK_RAW) return " raw";
  switch (protocol) {
    case IPPROTO_IP:
    case IPPROTO_TCP:
    case IPPROTO_UDP: return type == SOCK_STREAM || type == SOCK_DGRAM ? "" : " of another type";
    case IPPROTO_ICMP:
    case IPPROTO_ICMPV6: return " icmp";
    case IPPROTO_SCTP: return " sctp";
    case VT_IPPROTO_MPTCP: return " mptcp";
    default: return " of another protocol";
  }
}

static void describe_family(struct vt_notification *notification) {
  static const struct {
    int family;
    const char *name;
  } families[] = {
      {AF_UNIX, "unix"},     {AF_INET, "inet"}, {AF_INET6, "inet6"}, {AF_NETLINK, "netlink"}, {AF_PACKET, "packet"},
      {AF_BLUETOOTH, "bluetooth"}, {AF_ALG, "alg"},   {AF_VSOCK, "vsock"}, {AF_CAN, "can"}, {AF_TIPC, "tipc"},
      {AF_KEY, "key"}, {AF_XDP, "xdp"},
  };
  int family = (int)vt_argument(notification, 0);
  bool internet = family == AF_INET || family == AF_INET6;
  vt_say(notification, "family %d", family);
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (families[i].family == family) vt_say(notification, "%s%s", families[i].name, internet ? kind_of_internet(notification) : "");
}

/* An abstract name starts with a NUL byte, shown as "@" (unix(7)). */
static void print_unix(struct vt_notification *notification, const struct sockaddr_un *address, size_t length) {
  size_t bytes = length > offsetof(struct sockaddr_un, sun_path) ? length - offsetof(struct sockaddr_un, sun_path) : 0;
  if (bytes == 0) return;
  bool abstract = address->sun_path[0] == 0;
  vt_say(notification, "%s%.*s", abstract ? "@" : "", (int)(bytes - abstract), address->sun_path + abstract);
}

static void print_address(struct vt_notification *notification, const union vt_address *address, size_t length) {
  char host[INET6_ADDRSTRLEN];
  if (address->any.sa_family == AF_UNIX) return print_unix(notification, &address->un, length);
  bool six = address->any.sa_family == AF_INET6;
  if (!six && address->any.sa_family != AF_INET) return;
  inet_ntop(address->any.sa_family, six ? (void *)&address->in6.sin6_addr : &address->in.sin_addr, host, sizeof host);
  vt_say(notification, six ? "[%s]:%u" : "%s:%u", host, ntohs(address->in.sin_port)); /* sin6_port is there, too */
}

static void describe_address(struct vt_notification *notification) {
  union vt_address address;
  memset(&address, 0, sizeof address);
  size_t length = vt_argument(notification, notification->call->argument + 1);
  if (length > sizeof address) length = sizeof address;
  ssize_t got = vt_caller_read(&notification->caller, vt_argument(notification, notification->call->argument), &address, length);
  if (got >= (ssize_t)sizeof address.any.sa_family) print_address(notification, &address, (size_t)got);
}

/* A socket without a port has no address yet: the kernel chooses one in listen(2) (ip(7)). */
static void print_own_address(struct vt_notification *notification, int fd) {
  union vt_address address;
  socklen_t length = sizeof address;
  memset(&address, 0, sizeof address);
  if (getsockname(fd, &address.any, &length)) return;
  bool internet = address.any.sa_family == AF_INET || address.any.sa_family == AF_INET6; /* the ports have the same offset */
  if (!internet || address.in.sin_port) print_address(notification, &address, length < sizeof address ? length : sizeof address);
  else vt_say(notification, "a port that the kernel chooses");
}

static void describe_socket(struct vt_notification *notification) {
  if (vt_probe()->getfd_errno) return;
  int fd = vt_borrow_proven(notification, (int)vt_argument(notification, notification->call->argument));
  if (fd < 0) return;
  print_own_address(notification, fd);
  close(fd);
}

/* Refused options of the IP levels join multicast groups, except the flow label one. */
static void describe_option(struct vt_notification *notification) {
  int level = (int)vt_argument(notification, 1), name = (int)vt_argument(notification, 2);
  bool joins = (level == IPPROTO_IP || level == IPPROTO_IPV6) && name != VT_IPV6_FLOWLABEL_MGR;
  if (joins) vt_say(notification, "multicast group");
  else vt_say(notification, "option %d of level %d", name, level);
}

static void describe_process(struct vt_notification *notification) {
  int process = (int)vt_argument(notification, notification->call->argument);
  if (process > 0) vt_say(notification, "pid %d", process);
}

void vt_describe(struct vt_notification *notification) {
  switch (notification->call->subject) {
    case VT_NO_SUBJECT: return;
    case VT_PATH:
    case VT_TWO_PATHS: return describe_path(notification);
    case VT_DESCRIPTOR: return describe_descriptor(notification, (int)vt_argument(notification, notification->call->argument));
    case VT_FAMILY: return describe_family(notification);
    case VT_ADDRESS: return describe_address(notification);
    case VT_OWN_ADDRESS: return describe_socket(notification);
    case VT_OPTION: return describe_option(notification);
    case VT_PROCESS: return describe_process(notification);
  }
}

/* -1: none, or the call does not need it. */
static int named_descriptor(const struct vt_notification *notification) {
  const struct vt_call *call = notification->call;
  switch (call->subject) {
    case VT_DESCRIPTOR:
    case VT_OWN_ADDRESS: return call->argument;
    case VT_ADDRESS:
    case VT_OPTION: return 0;
    default: return -1;
  }
}

static bool is_closed(const struct vt_notification *notification, int fd) {
  char path[8];
  return fd < 0 || (vt_caller_path(&notification->caller, fd, path, sizeof path) < 0 && errno == ENOENT);
}

/* A path that is absolute needs no directory (openat(2)). */
static bool names_closed_directory(struct vt_notification *notification) {
  int directory = vt_directory(notification, notification->call->directory);
  if (directory == AT_FDCWD || !vt_read_given(notification)) return false;
  return notification->given[0] != '/' && is_closed(notification, directory);
}

bool vt_names_closed(struct vt_notification *notification) {
  if (notification->call->operation == VT_OP_MOUNT) return false; /* refused, whatever it names */
  int argument = named_descriptor(notification);
  if (argument >= 0) return is_closed(notification, (int)vt_argument(notification, argument));
  return notification->call->subject == VT_PATH && names_closed_directory(notification);
}

void vt_refuse(struct vt_notification *notification) {
  notification->done = false;
  notification->error = vt_names_closed(notification) ? EBADF : EACCES;
  if (notification->error == EBADF) return;
  notification->counted = true;
  vt_describe(notification);
}

/*
 * User and group lookups (ls -l, id, git, ...) make libc try the name service cache on a unix socket, and do without it
 * (nscd(8), nss-systemd(8)). Such a denial is not reported. It is recognized by the caller of socket(2): libc or one of its
 * NSS modules.
 */

static bool is_module(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  static const char *const modules[] = {"libc.so", "libc-", "libnss_", "ld-musl-"};
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
    if (strncmp(name, modules[i], strlen(modules[i])) == 0) return true;
  return false;
}

/* Most mappings looked at for one call: about 10 ms, in which the calls of other commands wait. */
enum { MOST_MAPPINGS = 5000 };

/* Whether an address lies in the code of libc or an NSS module (/proc/pid/maps, proc(5)). */
static bool is_in_module(const struct vt_caller *caller, uint64_t address) {
  char path[32], line[512];
  snprintf(path, sizeof path, "/proc/%d/maps", caller->thread);
  FILE *maps = fopen(path, "re");
  if (!maps) return false;
  bool found = false;
  for (int left = MOST_MAPPINGS; left > 0 && !found && fgets(line, sizeof line, maps); left--) {
    uint64_t start, end;
    char file[256] = "";
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %255s", &start, &end, file) < 2) continue;
    if (address < start || address >= end) continue;
    found = is_module(file);
    break;
  }
  fclose(maps);
  return found;
}

/* The stack pointer of a waiting caller; 0: unknown. "running": about to sleep (proc_pid_syscall(5)), so it retries. */
static uint64_t stack_of(const struct vt_caller *caller) {
  enum { TRIES = 100, NAP_NS = 100000 };
  char text[256] = "running";
  for (int tries = 0; tries < TRIES && strncmp(text, "running", strlen("running")) == 0; tries++) {
    if (tries) nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    if (!vt_procfs_read(caller->thread, "syscall", text, sizeof text)) return 0;
  }
  uint64_t stack = 0;
  return sscanf(text, "%*s %*s %*s %*s %*s %*s %*s %" SCNx64, &stack) == 1 ? stack : 0;
}

/*
 * The return address of socket(), whose wrapper has no frame: on x86_64 the top of the stack. On aarch64 it is in a register
 * that we cannot see; the frame record on top of the stack is that of the wrapper's caller (AAPCS64), and holds that
 * function's return address.
 */
static uint64_t returns_to(const struct vt_caller *caller) {
  uint64_t stack = stack_of(caller), address = 0;
  if (!stack) return 0;
#if defined(__aarch64__)
  stack += sizeof address;
#endif
  if (vt_caller_read(caller, stack, &address, sizeof address) != sizeof address) return 0;
  return address;
}

bool vt_is_nss_lookup(const struct vt_notification *notification) {
  const struct seccomp_data *data = &notification->notif.data;
  if (notification->call->call != VT_SYS_socket || (int)data->args[0] != AF_UNIX || (int)data->args[2] != 0) return false;
  if (((int)data->args[1] & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) != SOCK_STREAM) return false;
  if (!((int)data->args[1] & SOCK_CLOEXEC)) return false;
  uint64_t caller = returns_to(&notification->caller);
  if (caller) return is_in_module(&notification->caller, caller);
  /* Yama hides the stack. All NSS lookups set both flags, and call through libc. */
  return ((int)data->args[1] & SOCK_NONBLOCK) && is_in_module(&notification->caller, data->instruction_pointer);
}
