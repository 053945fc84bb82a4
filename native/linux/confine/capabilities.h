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

/* For good, between clone and exec: CAP_DAC_READ_SEARCH is enough to read what root can; any other capability could change something.
 * The host may have lost it since an earlier command (setuid(2)). Exec by root gives none back after no_new_privs
 * (cap_bprm_creds_from_file, security/commoncap.c). 0, or -1 with errno. */
int vt_capabilities_drop(void);
