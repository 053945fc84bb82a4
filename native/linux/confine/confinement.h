/* A policy is what a confined command is held by: a ruleset and a filter, built once and shared. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "confine/seccomp.h"
#include "confine/seccomp_rules.h"

struct vt_reads;

struct vt_confinement {
  int references;            /* atomic; the cache holds one */
  struct vt_confinement *next;    /* in the cache */
  char *key;
  struct stat root;          /* of "/", to see a new top-level directory */
  int ruleset;               /* Landlock ruleset descriptor */
  int reading;               /* another one, above it: for what can be read; -1: everything */
  bool owns_reading;         /* else it is that of `reads` */
  int abi;
  bool listener;             /* the filter is installed with a notification listener */
  bool listener_proves;      /* its hang-up proves that nobody is left */
  uint32_t listener_flags;
  uint32_t kept_capabilities; /* of the first 32: what the command may keep (CAP_DAC_READ_SEARCH, or none) */
  int dropped_count;         /* capabilities to take out of the bounding set; none without CAP_SETPCAP */
  uint8_t dropped[64];
  bool report;               /* refusals are reported */
  struct vt_reads *reads;    /* what can be read; NULL: everything */
  char **writable;           /* what the ruleset grants for writing, NULL-terminated */
  bool private;              /* one directory, and nothing else that is one command's: spares.h */
  int granted, uses;         /* the last such directory (O_PATH), -1: it is gone; how many there were */
  char **sockets;            /* and for connecting */
  dev_t terminal;            /* the command's own; 0: it has none */
  struct vt_rules rules;     /* what the answers would be without reports: the supervisor gives the same */
  struct sock_fprog program;
  struct sock_filter filter[VT_FILTER_MAX]; /* of any session */
};

struct vt_confinement_options {
  int abi;                      /* 0: the running kernel's */
  bool network;
  bool listener;
  bool report;                  /* needs the listener */
  const char *near;             /* where the command runs */
  struct vt_reads *reads;       /* what can be read; NULL: everything */
  const char *const *writable;  /* NULL-terminated; may be NULL */
  const char *const *sockets;   /* unix sockets to connect to, likewise; needs ABI 9 */
  int terminal;                 /* a descriptor of the command's own terminal; 0: it has none */
};

/* The policy for these options, from the cache when it stands there. NULL with errno and *step when it cannot be built. */
struct vt_confinement *vt_confinement_take(const struct vt_confinement_options *options, int *step);
void vt_confinement_retain(struct vt_confinement *policy);
void vt_confinement_release(struct vt_confinement *policy);

/* Whatever its references are. */
void vt_confinement_free(struct vt_confinement *policy);
