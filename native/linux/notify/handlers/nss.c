/*
 * User and group lookups (ls -l, id, git, ...) make libc try the name service cache on a unix socket, and do without it
 * (nscd(8), nss-systemd(8)). Such a denial is not reported. It is recognized by the caller of socket(2): libc or one of its
 * NSS modules.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "notify/dispatch.h"
#include "base/procfs.h"

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
