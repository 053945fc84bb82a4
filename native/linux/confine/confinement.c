#define _GNU_SOURCE
#include "confine/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"
#include "base/command.h"
#include "confine/landlock.h"
#include "confine/probe.h"
#include "confine/reads/reads.h"
#include "confine/confinement_pool.h"

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_confinement *cache; /* most recently used first */

enum { MOST_CACHED = 16 };

/* Lists the bounding set once, so that the child need not query every capability. */
static void list_bounding(struct vt_confinement *policy) {
  for (int capability = 0; capability < (int)sizeof policy->dropped; capability++)
    if (capability != CAP_DAC_READ_SEARCH && prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1)
      policy->dropped[policy->dropped_count++] = (uint8_t)capability;
}

/* CAP_DAC_READ_SEARCH is enough to read what root can; any other capability could change something. */
static void choose_capabilities(struct vt_confinement *policy) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capget, &header, data) != 0) return;
  policy->kept_capabilities = data[0].permitted & (1u << CAP_DAC_READ_SEARCH);
  if (data[0].effective & (1u << CAP_SETPCAP)) list_bounding(policy);
}

static int build_filter(struct vt_confinement *policy, const struct vt_confinement_options *options) {
  struct vt_filter_options filter = {
      .arch = vt_filter_native_arch(),
      .abi = policy->abi,
      .network = options->network,
      .judge = options->listener,
      .unwritable = !options->writable || !*options->writable,
      .terminal = options->terminal > 0,
      .unix_sockets = options->sockets && *options->sockets,
  };
  vt_rules_select(&filter, &policy->rules);
  filter.report = policy->report;
  int length = vt_filter_build(&filter, policy->filter);
  if (length < 0) return -1;
  policy->program = (struct sock_fprog){(unsigned short)length, policy->filter};
  return 0;
}

/* Copies the pointers and paths into one block; NULL: out of memory. */
static char **copy_paths(const char *const *paths) {
  static const char *const none[] = {NULL};
  size_t count = 0, bytes = 0;
  if (!paths) paths = none;
  for (; paths[count]; count++) bytes += strlen(paths[count]) + 1;
  char **copy = malloc((count + 1) * sizeof(char *) + bytes);
  if (!copy) return NULL;
  char *at = (char *)(copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    copy[i] = strcpy(at, paths[i]);
    at += strlen(at) + 1;
  }
  copy[count] = NULL;
  return copy;
}

static int look_at_terminal(struct vt_confinement *policy, int terminal) {
  struct stat status;
  if (terminal <= 0) return 0;
  if (fstat(terminal, &status)) return -1;
  policy->terminal = status.st_rdev;
  return 0;
}

/* True if the shared reads ruleset lets the command read what it may write to. */
static bool is_covered(const struct vt_confinement_options *options, int abi) {
  for (const char *const *path = options->writable; path && *path; path++)
    if (!vt_reads_cover(options->reads, *path)) return false;
  return options->terminal <= 0 && (options->reads->ruleset < 0 || options->reads->abi == abi);
}

static int build_reading(struct vt_confinement *policy, const struct vt_confinement_options *options) {
  if (!options->reads) return 0;
  policy->owns_reading = !is_covered(options, policy->abi);
  policy->reading = policy->owns_reading
                        ? vt_landlock_build_reads(policy->abi, options->reads, options->writable, options->terminal)
                        : vt_reads_ruleset(options->reads, policy->abi);
  return policy->reading < 0 ? -1 : 0;
}

static int build(struct vt_confinement *policy, const struct vt_confinement_options *options, int *step) {
  struct vt_landlock_options landlock = {policy->abi, options->network, options->near, options->writable, options->sockets,
                                         options->terminal};
  policy->listener = options->listener;
  policy->listener_proves = options->listener && vt_probe()->listener_proves;
  policy->listener_flags = vt_probe_listener_flags();
  policy->report = options->report && options->listener;
  policy->reads = options->reads;
  if (policy->reads) vt_reads_retain(policy->reads);
  choose_capabilities(policy);
  *step = VT_STEP_RULESET;
  policy->writable = copy_paths(options->writable);
  policy->sockets = copy_paths(options->sockets);
  if (!policy->writable || !policy->sockets) return -1;
  if (look_at_terminal(policy, options->terminal)) return -1;
  if (policy->abi < 1 || stat("/", &policy->root)) return -1;
  policy->ruleset = vt_landlock_build(&landlock);
  if (policy->ruleset < 0 || build_reading(policy, options)) return -1;
  *step = VT_STEP_FILTER;
  return build_filter(policy, options);
}

static bool has_any(const char *const *paths) { return paths && *paths; }

static size_t length_of(const char *const *paths) {
  size_t length = 0;
  for (; paths && *paths; paths++) length += strlen(*paths) + 2;
  return length;
}

/* Equal exactly for equal options; leaves out `reads`, and which directories are writable. */
static char *key_of(const struct vt_confinement_options *options, int abi) {
  const char *near = options->near ? options->near : "";
  size_t room = 80 + strlen(near) + length_of(options->sockets);
  char *key = malloc(room);
  if (!key) return NULL;
  int at = snprintf(key, room, "%d %d %d %d %d %d %s", abi, options->network, options->listener, options->report,
                    options->terminal, has_any(options->writable), near);
  for (const char *const *path = options->sockets; path && *path; path++)
    at += snprintf(key + at, room - (size_t)at, "\n%c%s", VT_SOCKET, *path);
  return key;
}

/* A top-level directory created or mounted since the build would not be readable. */
static int is_current(const struct vt_confinement *policy) {
  struct stat root;
  return stat("/", &root) == 0 && root.st_mtim.tv_sec == policy->root.st_mtim.tv_sec &&
         root.st_mtim.tv_nsec == policy->root.st_mtim.tv_nsec && root.st_dev == policy->root.st_dev;
}

static struct vt_confinement *find(const char *key, const struct vt_reads *reads) {
  for (struct vt_confinement **at = &cache; *at; at = &(*at)->next) {
    struct vt_confinement *policy = *at;
    if (policy->reads != reads || strcmp(policy->key, key)) continue;
    *at = policy->next;
    if (is_current(policy)) {
      policy->next = cache;
      cache = policy;
      return policy;
    }
    vt_confinement_release(policy);
    return NULL;
  }
  return NULL;
}

/* There is one per working directory: drops the least recently used. */
static void trim(void) {
  int kept = 0;
  for (struct vt_confinement **at = &cache; *at;) {
    struct vt_confinement *policy = *at;
    if (++kept <= MOST_CACHED) {
      at = &policy->next;
      continue;
    }
    *at = policy->next;
    vt_confinement_release(policy);
  }
}

static void put_first(struct vt_confinement *policy) {
  policy->next = cache;
  cache = policy;
  trim();
}

static bool is_private(const struct vt_confinement_options *options) {
  return has_any(options->writable) && !options->writable[1] && !has_any(options->sockets) && !options->terminal;
}

/* Keeps the directory open, to see when it is removed. */
static void grant_first(struct vt_confinement *policy) {
  policy->granted = open(policy->writable[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
  policy->private = policy->granted >= 0;
}

static int grant_next(struct vt_confinement *policy, const struct vt_confinement_options *options) {
  char **writable = copy_paths(options->writable);
  if (!writable) return -1;
  free(policy->writable);
  policy->writable = writable;
  policy->granted = open(writable[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (policy->granted < 0 || vt_landlock_grant_private(policy->ruleset, policy->granted, policy->abi, false)) return -1;
  return policy->owns_reading ? vt_landlock_grant_private(policy->reading, policy->granted, policy->abi, true) : 0;
}

/* Reuses one whose private directory is gone; NULL: build one. */
static struct vt_confinement *take_over(const struct vt_confinement_options *options, const char *key) {
  struct vt_confinement *policy = is_private(options) ? vt_confinement_pool_take(key, options->reads) : NULL;
  if (!policy) return NULL;
  bool owned = options->reads && !is_covered(options, policy->abi);
  if (is_current(policy) && owned == policy->owns_reading && grant_next(policy, options) == 0) return policy;
  vt_confinement_free(policy);
  return NULL;
}

static struct vt_confinement *make(const struct vt_confinement_options *options, int abi, char *key, int *step) {
  struct vt_confinement *policy = calloc(1, sizeof *policy);
  if (!policy) return NULL;
  policy->references = 1;
  policy->ruleset = policy->reading = policy->granted = -1;
  policy->abi = abi;
  policy->key = key;
  if (build(policy, options, step)) {
    int error = errno;
    policy->key = NULL;
    vt_confinement_free(policy);
    errno = error;
    return NULL;
  }
  if (is_private(options)) grant_first(policy);
  return policy;
}

struct vt_confinement *vt_confinement_take(const struct vt_confinement_options *options, int *step) {
  int abi = options->abi > 0 ? options->abi : vt_landlock_abi();
  *step = VT_STEP_RULESET;
  char *key = key_of(options, abi);
  if (!key) return NULL;
  pthread_mutex_lock(&cache_lock);
  struct vt_confinement *policy = has_any(options->writable) ? take_over(options, key) : find(key, options->reads);
  if (policy) {
    free(key);
  } else if ((policy = make(options, abi, key, step))) {
    /* Not shared: a private directory or terminal belongs to one command, and a path may name another socket next time. */
    if (has_any(options->writable) || has_any(options->sockets) || options->terminal) policy->references = 0;
    else put_first(policy);
  } else {
    free(key);
  }
  if (policy) vt_confinement_retain(policy);
  pthread_mutex_unlock(&cache_lock);
  return policy;
}

void vt_confinement_retain(struct vt_confinement *policy) { __atomic_add_fetch(&policy->references, 1, __ATOMIC_RELAXED); }

void vt_confinement_free(struct vt_confinement *policy) {
  if (policy->granted >= 0) close(policy->granted);
  if (policy->ruleset >= 0) close(policy->ruleset);
  if (policy->owns_reading && policy->reading >= 0) close(policy->reading);
  if (policy->reads) vt_reads_release(policy->reads);
  free(policy->key);
  free(policy->writable);
  free(policy->sockets);
  free(policy);
}

void vt_confinement_release(struct vt_confinement *policy) {
  if (__atomic_sub_fetch(&policy->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  if (!vt_confinement_pool_keep(policy)) vt_confinement_free(policy);
}
