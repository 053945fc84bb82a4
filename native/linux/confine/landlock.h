/* Landlock: the ruleset that makes the file tree read-only. Kernel interface: linux/landlock.h, landlock(7). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct vt_reads;

/* From this ABI on a ruleset can tell unix sockets apart by their path (LANDLOCK_ACCESS_FS_RESOLVE_UNIX, Linux 7.1). */
enum { VT_UNIX_SOCKETS_ABI = 9 };

/* What a ruleset is built from. */
struct vt_landlock_options {
  int abi;                      /* 1..; the ABI to build for, at most the running kernel's */
  bool network;                 /* TCP connect is let through; TCP bind never is */
  const char *near;             /* where commands run: what they open there is decided there; may be NULL */
  const char *const *writable;  /* directories granted for writing, NULL-terminated; may be NULL */
  const char *const *sockets;   /* unix sockets granted for connecting, likewise */
  int terminal;                 /* a descriptor of the commands' own terminal; 0: they have none */
};

/* The Landlock ABI of the running kernel, or -1 with errno (ENOSYS: not built in, EOPNOTSUPP: disabled at boot). */
int vt_landlock_abi(void);

/* The bitmask of fixed Landlock errata; 0 where the kernel does not tell. */
int vt_landlock_errata(void);

/* Whether the ruleset handles truncating. Only where something can be written has it to: else the filter shuts
 * truncate(2), and every other way to truncate asks for writing. */
bool vt_landlock_handles_truncate(const struct vt_landlock_options *options);

/* Grants reading and executing what a descriptor (O_PATH will do) stands for, and what lies beneath; or only listing. */
int vt_landlock_grant_reading(int ruleset, int fd, bool directory);
int vt_landlock_grant_listing(int ruleset, int fd);

/* Builds a ruleset; returns its descriptor (close-on-exec) or -1 with errno. Allocates: never between clone and exec. */
int vt_landlock_build(const struct vt_landlock_options *options);

/* Likewise, one for a layer of its own: it grants reading what can be read, in private directories, and of a terminal, and
 * leaves everything else to the other one. */
int vt_landlock_build_reads(int abi, struct vt_reads *reads, const char *const *writable, int terminal);

/* Grants one more private directory (O_PATH will do) to a ruleset of the first kind that has some, or to one of the second. */
int vt_landlock_grant_private(int ruleset, int fd, int abi, bool reading);

/* Restricts the calling thread for good. Returns 0, or -1 with errno. */
int vt_landlock_restrict(int ruleset);
