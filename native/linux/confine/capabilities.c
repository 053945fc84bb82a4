#define _GNU_SOURCE
#include "confine/capabilities.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct __user_cap_data_struct capabilities[2];

/* Both calls are about the calling thread. */
static int call(long number, capabilities data) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  return (int)syscall(number, &header, data);
}

int vt_capabilities_read(capabilities data) { return call(SYS_capget, data); }

/* They stay: libc's setuid(3) and setgid(3) act on every thread, and abort the process if one of them may not. */
enum { NEVER_LOWERED = 1 << CAP_SETUID | 1 << CAP_SETGID };

int vt_capabilities_lower(uint32_t kept, struct vt_capabilities *before) {
  capabilities data;
  if (vt_capabilities_read(data)) return -1;
  if (before) *before = (struct vt_capabilities){data[0].effective, data[1].effective};
  data[0].effective &= kept | NEVER_LOWERED;
  data[1].effective = 0;
  return call(SYS_capset, data);
}

int vt_capabilities_restore(const struct vt_capabilities *before) {
  capabilities data;
  if (vt_capabilities_read(data)) return -1;
  data[0].effective = before->low & data[0].permitted; /* setuid(2) may have taken some meanwhile */
  data[1].effective = before->high & data[1].permitted;
  return call(SYS_capset, data);
}

int vt_capabilities_drop(void) {
  capabilities now;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (vt_capabilities_read(now)) return -1;
  uint32_t kept = now[0].permitted & (1u << CAP_DAC_READ_SEARCH);
  capabilities dropped = {{kept, kept, 0}, {0, 0, 0}};
  return call(SYS_capset, dropped);
}
