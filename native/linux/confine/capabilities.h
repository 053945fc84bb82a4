/* The capabilities of the calling thread. Lowered, it acts for a command, or on what a command left, without root's rights. */
#pragma once

#include <linux/capability.h>
#include <stdint.h>

struct vt_capabilities {
  uint32_t low, high; /* the effective ones, as in struct __user_cap_data_struct (capset(2)) */
};

/* All sets, the first 32 in data[0]. 0, or -1 with errno. */
int vt_capabilities_read(struct __user_cap_data_struct data[2]);

/* Lowers the effective ones to those of `kept` among the first 32. The permitted ones stay: access checks of ptrace(2) compare
 * these. `before`: what they were, or NULL. 0, or -1 with errno. */
int vt_capabilities_lower(uint32_t kept, struct vt_capabilities *before);

int vt_capabilities_restore(const struct vt_capabilities *before);
