#define _GNU_SOURCE
#include "confine/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core.h"
#include "base/command.h"
#include "base/paths.h"
#include "confine/landlock.h"
#include "confine/probe.h"
#include "confine/reads/reads.h"
#include "workspace/reuse.h"
#include "workspace/workspace.h"
#include "confine/confinement_pool.h"

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_confinement *cache; /* most recently used first */

enum { MOST_CACHED = 16 };

static int build_filter(struct vt_confinement *confinement, const struct vt_confinement_options *options) {
  struct vt_filter_options filter = {
      .arch = vt_filter_native_arch(),
      .abi = confinement->abi,
      .network = options->network,
      .proxied = options->proxied,
      .own_sockets = options->own_sockets,
      .sessions = confinement->marks,
      .judge = options->listener,
      .unwritable = !options->workspace && (!options->writable || !*options->writable),
      .terminal = options->terminal > 0,
      .unix_sockets = options->sockets && *options->sockets,
      .workspace = options->workspace != NULL,
  };
  vt_rules_select(&filter, &confinement->rules);
  filter.report = confinement->listener;
  int length = vt_filter_build(&filter, confinement->filter);
  if (length < 0) return -1;
  confinement->program = (struct sock_fprog){(unsigned short)length, confinement->filter};
  return 0;
}

static char **copy_paths(const char *const *paths) {
  static const char *const none[] = {NULL};
  return vt_paths_copy(paths ? paths : none);
}

static int look_at_terminal(struct vt_confinement *confinement, int terminal) {
  struct stat status;
  if (terminal <= 0) return 0;
  if (fstat(terminal, &status)) return -1;
  confinement->terminal = status.st_rdev;
  return 0;
}

/* True if the shared reads ruleset lets the command read what it may write to. */
static bool is_covered(const struct vt_confinement_options *options, int abi) {
  for (const char *const *path = options->writable; path && *path; path++)
    if (!vt_reads_cover(options->reads, *path)) return false;
  return options->terminal <= 0 && (options->reads->ruleset < 0 || options->reads->abi == abi);
}

static int build_reading(struct vt_confinement *confinement, const struct vt_confinement_options *options) {
  if (!options->reads) return 0;
  confinement->owns_reading = !is_covered(options, confinement->abi);
  confinement->reading = confinement->owns_reading
                        ? vt_landlock_build_reads(confinement->abi, options->reads, options->writable, options->terminal)
                        : vt_reads_ruleset(options->reads, confinement->abi);
  return confinement->reading < 0 ? -1 : 0;
}

/* Marks are unique numbers below the limit that the host has, and this process reads those of others by its real ids (prlimit(2)). */
static bool can_mark(bool listener) {
  struct rlimit limit;
  if (!listener || !vt_probe()->limits || getrlimit(RLIMIT_LOCKS, &limit) || limit.rlim_max != RLIM_INFINITY) return false;
  return getuid() == geteuid() && getgid() == getegid();
}

static int build(struct vt_confinement *confinement, const struct vt_confinement_options *options, int *step) {
  bool marks = can_mark(options->listener);
  struct vt_landlock_options landlock = {confinement->abi, options->network, options->near, options->writable, options->sockets,
                                         options->terminal, options->workspace, options->own_sockets && marks};
  confinement->workspace = options->workspace;
  if (confinement->workspace) vt_workspace_retain(confinement->workspace);
  confinement->listener = options->listener;
  confinement->listener_proves = options->listener && vt_probe()->listener_proves;
  confinement->listener_flags = vt_probe_listener_flags();
  confinement->marks = marks;
  confinement->reads = options->reads;
  if (confinement->reads) vt_reads_retain(confinement->reads);
  *step = VT_STEP_RULESET;
  confinement->writable = copy_paths(options->writable);
  confinement->sockets = copy_paths(options->sockets);
  if (!confinement->writable || !confinement->sockets) return -1;
  if (look_at_terminal(confinement, options->terminal)) return -1;
  if (confinement->abi < 1 || stat("/", &confinement->root)) return -1;
  confinement->ruleset = vt_landlock_build(&landlock);
  if (confinement->ruleset < 0 || build_reading(confinement, options)) return -1;
  *step = VT_STEP_FILTER;
  return build_filter(confinement, options);
}

static bool has_any(const char *const *paths) { return paths && *paths; }

/* Whether the key names a place: those of a workspace, without the private directories, which differ by command. */
static bool counts(const struct vt_place *places, const struct vt_place *place) {
  if (place->kind == VT_ROOT) return !vt_workspace_is_private(places, place->text);
  return place->kind == VT_PROTECTED || place->kind == VT_CLOSED;
}

enum { NUMBER_ROOM = 24 };

/* Its length precedes a text, which may contain anything. By hand, as each command of a workspace makes a key of some forty texts. */
static char *add_text(char *at, char kind, const char *text) {
  *at++ = kind;
  for (size_t left = strlen(text); left; left /= 10) *at++ = (char)('0' + left % 10);
  *at++ = ' ';
  return stpcpy(at, text);
}

/* Equal exactly for equal options; leaves out `reads`, and which directories are writable. */
static char *key_of(const struct vt_confinement_options *options, int abi) {
  const char *near = options->near ? options->near : "";
  size_t room = 8 * NUMBER_ROOM + strlen(near);
  for (const char *const *path = options->sockets; path && *path; path++) room += NUMBER_ROOM + strlen(*path);
  for (const struct vt_place *place = options->places; place && place->kind; place++) room += NUMBER_ROOM + strlen(place->text);
  char *key = malloc(room);
  if (!key) return NULL;
  char *at = key + snprintf(key, room, "%d %d %d %d %d %d %d", abi, options->network, options->proxied, options->own_sockets,
                            options->listener, options->terminal, has_any(options->writable));
  at = add_text(at, 'n', near);
  for (const char *const *path = options->sockets; path && *path; path++) at = add_text(at, 's', *path);
  for (const struct vt_place *place = options->places; place && place->kind; place++)
    if (counts(options->places, place)) at = add_text(at, (char)('A' + place->kind), place->text);
  return key;
}

/* A top-level directory created or mounted since the build would not be readable. */
static int is_current(const struct vt_confinement *confinement) {
  struct stat root;
  return confinement->marks == can_mark(confinement->listener) && stat("/", &root) == 0 && root.st_mtim.tv_sec == confinement->root.st_mtim.tv_sec &&
         root.st_mtim.tv_nsec == confinement->root.st_mtim.tv_nsec && root.st_dev == confinement->root.st_dev;
}

static struct vt_confinement *find(const char *key, const struct vt_reads *reads) {
  for (struct vt_confinement **at = &cache; *at; at = &(*at)->next) {
    struct vt_confinement *confinement = *at;
    if (confinement->reads != reads || strcmp(confinement->key, key)) continue;
    *at = confinement->next;
    if (is_current(confinement)) {
      confinement->next = cache;
      cache = confinement;
      return confinement;
    }
    vt_confinement_release(confinement);
    return NULL;
  }
  return NULL;
}

/* There is one per working directory: drops the least recently used. */
static void trim(void) {
  int kept = 0;
  for (struct vt_confinement **at = &cache; *at;) {
    struct vt_confinement *confinement = *at;
    if (++kept <= MOST_CACHED) {
      at = &confinement->next;
      continue;
    }
    *at = confinement->next;
    vt_confinement_release(confinement);
  }
}

static void put_first(struct vt_confinement *confinement) {
  confinement->next = cache;
  cache = confinement;
  trim();
}

static bool is_private(const struct vt_confinement_options *options) {
  return has_any(options->writable) && !options->writable[1] && !has_any(options->sockets) && !options->terminal;
}

/* Keeps the directory open, to recognize it and to see when it is removed. */
static void grant_first(struct vt_confinement *confinement) {
  confinement->granted = open(confinement->writable[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
  confinement->private = confinement->granted >= 0 && (!confinement->workspace || vt_workspace_lasts(confinement->workspace));
  confinement->uses = 1;
}

static int grant_next(struct vt_confinement *confinement) {
  confinement->uses++;
  confinement->granted = open(confinement->writable[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (confinement->granted < 0 || vt_landlock_grant_private(confinement->ruleset, confinement->granted, confinement->abi, false)) return -1;
  return confinement->owns_reading ? vt_landlock_grant_private(confinement->reading, confinement->granted, confinement->abi, true) : 0;
}

/* Prepares it for the next command. */
static bool serve_next(struct vt_confinement *confinement, const struct vt_confinement_options *options) {
  bool owned = options->reads && !is_covered(options, confinement->abi);
  char **writable = copy_paths(options->writable);
  if (!writable) return false;
  free(confinement->writable);
  confinement->writable = writable;
  if (!is_current(confinement) || owned != confinement->owns_reading) return false;
  if (confinement->workspace && !vt_workspace_resume(confinement->workspace, options->places)) return false;
  return confinement->granted >= 0 || grant_next(confinement) == 0;
}

struct vt_confinement *vt_confinement_reuse(const struct vt_confinement_options *options) {
  int abi = options->abi > 0 ? options->abi : vt_landlock_abi();
  char *key = is_private(options) ? key_of(options, abi) : NULL;
  if (!key) return NULL;
  struct vt_confinement *confinement = vt_confinement_pool_take(key, options->reads, options->writable[0]);
  free(key);
  if (!confinement) return NULL;
  pthread_mutex_lock(&cache_lock); /* for the shared reads ruleset */
  bool serves = serve_next(confinement, options);
  pthread_mutex_unlock(&cache_lock);
  confinement->references = serves;
  if (serves) return confinement;
  vt_confinement_free(confinement);
  return NULL;
}

static struct vt_confinement *make(const struct vt_confinement_options *options, int abi, char *key, int *step) {
  struct vt_confinement *confinement = calloc(1, sizeof *confinement);
  if (!confinement) return NULL;
  confinement->references = 1;
  confinement->ruleset = confinement->reading = confinement->granted = -1;
  confinement->abi = abi;
  confinement->key = key;
  if (build(confinement, options, step)) {
    int error = errno;
    confinement->key = NULL;
    vt_confinement_free(confinement);
    errno = error;
    return NULL;
  }
  if (is_private(options)) grant_first(confinement);
  return confinement;
}

struct vt_confinement *vt_confinement_take(const struct vt_confinement_options *options, int *step) {
  int abi = options->abi > 0 ? options->abi : vt_landlock_abi();
  *step = VT_STEP_RULESET;
  char *key = key_of(options, abi);
  if (!key) return NULL;
  pthread_mutex_lock(&cache_lock);
  struct vt_confinement *confinement = has_any(options->writable) || options->workspace ? NULL : find(key, options->reads);
  if (confinement) {
    free(key);
  } else if ((confinement = make(options, abi, key, step))) {
    /* Not shared: a private directory or terminal belongs to one command, and a path may name another socket next time. */
    if (has_any(options->writable) || options->workspace || has_any(options->sockets) || options->terminal) confinement->references = 0;
    else put_first(confinement);
  } else {
    free(key);
  }
  if (confinement) vt_confinement_retain(confinement);
  pthread_mutex_unlock(&cache_lock);
  return confinement;
}

void vt_confinement_retain(struct vt_confinement *confinement) { __atomic_add_fetch(&confinement->references, 1, __ATOMIC_RELAXED); }

void vt_confinement_free(struct vt_confinement *confinement) {
  if (confinement->granted >= 0) close(confinement->granted);
  if (confinement->ruleset >= 0) close(confinement->ruleset);
  if (confinement->owns_reading && confinement->reading >= 0) close(confinement->reading);
  if (confinement->reads) vt_reads_release(confinement->reads);
  if (confinement->workspace) vt_workspace_release(confinement->workspace);
  free(confinement->key);
  free(confinement->writable);
  free(confinement->sockets);
  free(confinement);
}

void vt_confinement_release(struct vt_confinement *confinement) {
  if (__atomic_sub_fetch(&confinement->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  if (!vt_confinement_pool_keep(confinement)) vt_confinement_free(confinement);
}
