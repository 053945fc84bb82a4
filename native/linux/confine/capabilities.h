/* The effective capabilities of the calling thread. Lowered, it acts for a command, or on what a command left, without root's rights. */
#pragma once

#include <stdint.h>

struct vt_capabilities {
  uint32_t low, high; /* as in struct __user_cap_data_struct (capset(2)) */
};

/* Lowers them to those of `kept` among the first 32. The permitted ones stay: access checks of ptrace(2) compare these. `before`: what
 * they were, or NULL. 0, or -1 with errno. */
int vt_capabilities_lower(uint32_t kept, struct vt_capabilities *before);

int vt_capabilities_restore(const struct vt_capabilities *before);
