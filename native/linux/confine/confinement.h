/* What holds a command of read or workspace mode: rulesets and a filter, built once and shared. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "confine/filter/seccomp.h"
#include "confine/filter/seccomp_rules.h"

struct vt_places;
struct vt_place;
struct vt_workspace;

struct vt_confinement {
  int references;            /* atomic; the cache holds one */
  struct vt_confinement *next;
  char *key;
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
  bool private;              /* one writable directory, nothing else that is one command's: can be pooled */
  int granted, uses;         /* that directory (O_PATH), -1: removed; directories granted so far */
  struct vt_workspace *workspace; /* NULL: none; a reference */
  char **sockets;            /* unix sockets granted for connecting, likewise */
  dev_t terminal;            /* device of the command's terminal; 0: none */
  struct vt_rules rules;     /* without reports: the notifier answers reported calls by these */
  struct sock_fprog program;
  struct sock_filter filter[VT_FILTER_MAX]; /* with VT_ANY_SESSION for the session id */
};

struct vt_confinement_options {
  int abi;                      /* 0: the running kernel's */
  bool network;
  bool proxied;                 /* TCP to the proxy only: the notifier connects */
  bool own_sockets;             /* TCP among the command's own processes: the notifier binds and connects */
  bool listener;
  const char *near;
  struct vt_places *reads;
  const char *const *writable;
  const char *const *sockets;   /* unix sockets to connect to; needs ABI 9 */
  const struct vt_place *places; /* the roots and protected paths of a workspace; NULL: none */
  struct vt_workspace *workspace; /* opened from them; NULL: none, or not yet */
  int terminal;                 /* descriptor; 0: none */
};

/* A pooled confinement, if nothing that it depends on has changed, else NULL. Does not need `workspace`. */
struct vt_confinement *vt_confinement_reuse(const struct vt_confinement_options *options);

/* Cached if possible; NULL with errno and *step if it cannot be built. */
struct vt_confinement *vt_confinement_take(const struct vt_confinement_options *options, int *step);
void vt_confinement_retain(struct vt_confinement *confinement);
void vt_confinement_release(struct vt_confinement *confinement);

/* Call after a directory was removed: closes its descriptor, which would keep its file system busy. */
void vt_confinement_prune(void);

/* For confinement_pool.c. The key of a new one is freed with it. */
struct vt_confinement *vt_confinement_make(const struct vt_confinement_options *options, int abi, char *key, int *step);
void vt_confinement_free(struct vt_confinement *confinement);

/* A top-level directory created or mounted since the build would not be readable. */
bool vt_confinement_is_current(const struct vt_confinement *confinement);

/* Prepares it for the next command. */
bool vt_confinement_serve_next(struct vt_confinement *confinement, const struct vt_confinement_options *options);
