/* The Landlock rulesets of a command, which make the file tree read-only. */
#pragma once

#include <stdbool.h>

#include "confine/landlock.h"

struct vt_places;
struct vt_workspace;

struct vt_landlock_options {
  int abi;                      /* the ABI to build for: 1 to the running kernel's */
  bool network;                 /* TCP connect is allowed; TCP bind never is */
  const char *near;             /* working directory, granted on its own for speed; may be NULL */
  const char *const *writable;  /* directories granted for writing, NULL-terminated; may be NULL */
  int terminal;                 /* descriptor; 0: none */
  struct vt_workspace *workspace; /* NULL: none */
  bool sessions;                /* the command's processes may have other controlling terminals than that one */
};

/* Returns a descriptor (close-on-exec) or -1 with errno. Allocates: never between clone and exec. */
int vt_landlock_build(const struct vt_landlock_options *options);

/* Likewise a second layer for reading only: `reads`, the writable directories, harmless devices, the terminal. */
int vt_landlock_build_reads(int abi, struct vt_places *reads, const char *const *writable, int terminal);

/* Grants one more private directory (O_PATH suffices): to a ruleset that has one, or with `reading` to a second layer. */
int vt_landlock_grant_private(int ruleset, int fd, int abi, bool reading);

/* Devices that every command may write to: that changes nothing (Documentation/admin-guide/devices.txt). */
struct vt_harmless_device {
  const char *path;
  unsigned major, minor;
};
enum { VT_HARMLESS_DEVICES = 4, VT_TERMINAL_MAJOR = 5 };
extern const struct vt_harmless_device vt_harmless_devices[VT_HARMLESS_DEVICES];
