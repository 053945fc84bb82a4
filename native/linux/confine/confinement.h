/* What holds a command of read or workspace mode: rulesets and a filter. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/command.h"
#include "confine/filter/seccomp.h"
#include "confine/places/places.h"

struct vt_workspace;

struct vt_confinement {
  int references;            /* atomic; the pool holds one of what is in it (confine.c) */
  struct vt_confinement *next;
  char *key;                 /* NULL: serves one command */
  struct stat root;          /* of "/" at build time, to notice a new top-level directory */
  int ruleset;
  int reading;               /* a second Landlock layer, for reads; -1: everything is readable */
  bool owns_reading;         /* else `reads` owns it */
  int abi;
  bool listener;
  bool listener_proves;      /* its hang-up proves that no process is left */
  bool marks;                /* the processes of its command are known by a mark (base/watched.h), not by their session */
  uint32_t listener_flags;
  struct vt_places *reads;
  char **writable;           /* directories granted for writing, NULL-terminated */
  bool private;              /* one writable directory, nothing else that is one command's: serves one after another */
  int granted, uses;         /* that directory (O_PATH), -1: removed; directories granted so far */
  struct vt_workspace *workspace; /* NULL: none; a reference */
  dev_t terminal;            /* device of the command's terminal; 0: none */
  struct vt_rules rules;     /* without reports: the notifier answers reported calls by these */
  struct sock_fprog program;
  struct sock_filter filter[VT_FILTER_MAX]; /* with VT_ANY_SESSION for the session id */
};

struct vt_confinement_options {
  int abi;                      /* 0: the running kernel's, until vt_confinement_take() */
  bool network;
  bool proxied;                 /* TCP to the proxy only: the notifier connects */
  bool own_sockets;             /* TCP among the command's own processes: the notifier binds and connects */
  bool listener;
  struct vt_places *reads;
  const char *near;
  const char *const *writable;
  const struct vt_place *places; /* with the roots and protected paths of a workspace; NULL: none */
  bool has_roots;
  struct vt_workspace *workspace; /* opened from them; NULL: none, or not yet */
  int terminal;                 /* descriptor; 0: none */
};

/* NULL with errno and *step. Its reference is the caller's. */
struct vt_confinement *vt_confinement_make(const struct vt_confinement_options *options, const char **step);
void vt_confinement_free(struct vt_confinement *confinement);

/* Opens the private directory, to recognize it and to see when it is removed: it may serve other commands later. */
void vt_confinement_lend(struct vt_confinement *confinement);

/* Prepares it for the next command. False: something that it depends on has changed. */
bool vt_confinement_serves(struct vt_confinement *confinement, const struct vt_confinement_options *options);
