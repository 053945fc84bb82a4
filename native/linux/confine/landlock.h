/* The system calls of Landlock: linux/landlock.h, landlock(7). Needs _GNU_SOURCE. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"

/* linux/landlock.h: flags of landlock_create_ruleset(2). */
enum { CREATE_RULESET_VERSION = 1 << 0, CREATE_RULESET_ERRATA = 1 << 1 };

/* Of the running kernel, or -1 with errno (ENOSYS: not built in, EOPNOTSUPP: disabled at boot). */
static inline int vt_landlock_abi(void) {
  return (int)syscall(NR_LANDLOCK_CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
}

/* A bitmask of fixed errata; 0 if unknown. */
static inline int vt_landlock_errata(void) {
  int errata = (int)syscall(NR_LANDLOCK_CREATE_RULESET, NULL, 0, CREATE_RULESET_ERRATA);
  return errata < 0 ? 0 : errata;
}

/* Grants rights (LANDLOCK_ACCESS_FS_*) on a descriptor's file or tree (O_PATH suffices). */
static inline int vt_landlock_grant_at(int ruleset, int fd, uint64_t access) {
  enum { RULE_PATH_BENEATH = 1 }; /* linux/landlock.h */
  struct {
    uint64_t allowed_access;
    int32_t parent_fd;
  } __attribute__((packed)) rule = {access, fd};
  return (int)syscall(NR_LANDLOCK_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
}

/* Restricts the calling thread permanently. Returns 0, or -1 with errno. */
static inline int vt_landlock_restrict(int ruleset) { return (int)syscall(NR_LANDLOCK_RESTRICT_SELF, ruleset, 0); }
