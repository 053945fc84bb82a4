#define _GNU_SOURCE
#include "policy.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command.h"
#include "landlock.h"
#include "probe.h"
#include "reads.h"

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_policy *cache; /* the last used first */

enum { MOST_CACHED = 16 };

/* What stands in the bounding set now, so that the child need not ask for each capability there is. */
static void list_bounding(struct vt_policy *policy) {
  for (int capability = 0; capability < (int)sizeof policy->dropped; capability++)
    if (capability != CAP_DAC_READ_SEARCH && prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1)
      policy->dropped[policy->dropped_count++] = (uint8_t)capability;
}

/* Reading what root can read needs one capability; every other would be a way to change something. */
static void choose_capabilities(struct vt_policy *policy) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capget, &header, data) != 0) return;
  policy->kept_capabilities = data[0].permitted & (1u << CAP_DAC_READ_SEARCH);
  if (data[0].effective & (1u << CAP_SETPCAP)) list_bounding(policy);
}

static int build_filter(struct vt_policy *policy, const struct vt_policy_options *options, bool shut_truncate) {
  struct vt_filter_options filter = {
      .arch = vt_filter_native_arch(),
      .abi = policy->abi,
      .network = options->network,
      .judge = options->listener,
      .shut_truncate = shut_truncate,
      .terminal = options->terminal > 0,
  };
  vt_rules_select(&filter, &policy->rules);
  filter.report = policy->report;
  int length = vt_filter_build(&filter, policy->filter);
  if (length < 0) return -1;
  policy->program = (struct sock_fprog){(unsigned short)length, policy->filter};
  return 0;
}

/* The paths and the pointers to them, in one block. */
static int copy_writable(struct vt_policy *policy, const char *const *writable) {
  static const char *const none[] = {NULL};
  size_t count = 0, bytes = 0;
  if (!writable) writable = none;
  for (; writable[count]; count++) bytes += strlen(writable[count]) + 1;
  policy->writable = malloc((count + 1) * sizeof(char *) + bytes);
  if (!policy->writable) return -1;
  char *at = (char *)(policy->writable + count + 1);
  for (size_t i = 0; i < count; i++) {
    policy->writable[i] = strcpy(at, writable[i]);
    at += strlen(at) + 1;
  }
  policy->writable[count] = NULL;
  return 0;
}

static int look_at_terminal(struct vt_policy *policy, int terminal) {
  struct stat status;
  if (terminal <= 0) return 0;
  if (fstat(terminal, &status)) return -1;
  policy->terminal = status.st_rdev;
  return 0;
}

static int build(struct vt_policy *policy, const struct vt_policy_options *options, int *step) {
  struct vt_landlock_options landlock = {policy->abi, options->network, options->near, options->reads, options->writable,
                                         options->terminal};
  policy->listener = options->listener;
  policy->listener_proves = options->listener && vt_probe()->listener_proves;
  policy->listener_flags = vt_probe_listener_flags();
  policy->report = options->report && options->listener;
  policy->reads = options->reads;
  if (policy->reads) vt_reads_retain(policy->reads);
  choose_capabilities(policy);
  *step = VT_STEP_RULESET;
  if (copy_writable(policy, options->writable)) return -1;
  if (look_at_terminal(policy, options->terminal)) return -1;
  if (policy->abi < 1 || stat("/", &policy->root)) return -1;
  policy->ruleset = vt_landlock_build(&landlock);
  if (policy->ruleset < 0) return -1;
  *step = VT_STEP_FILTER;
  return build_filter(policy, options, !vt_landlock_handles_truncate(&landlock));
}

/* One text that is equal exactly when the options are, but for what can be read. */
static char *key_of(const struct vt_policy_options *options, int abi) {
  size_t length = 64 + (options->near ? strlen(options->near) : 0);
  for (const char *const *path = options->writable; path && *path; path++) length += strlen(*path) + 1;
  char *key = malloc(length);
  if (!key) return NULL;
  int at = snprintf(key, length, "%d %d %d %d %d %s", abi, options->network, options->listener, options->report,
                    options->terminal, options->near ? options->near : "");
  for (const char *const *path = options->writable; path && *path; path++)
    at += snprintf(key + at, length - (size_t)at, "\n%s", *path);
  return key;
}

/* A directory made or mounted in "/" since would not be readable. */
static int is_current(const struct vt_policy *policy) {
  struct stat root;
  return stat("/", &root) == 0 && root.st_mtim.tv_sec == policy->root.st_mtim.tv_sec &&
         root.st_mtim.tv_nsec == policy->root.st_mtim.tv_nsec && root.st_dev == policy->root.st_dev;
}

static struct vt_policy *find(const char *key, const struct vt_reads *reads) {
  for (struct vt_policy **at = &cache; *at; at = &(*at)->next) {
    struct vt_policy *policy = *at;
    if (policy->reads != reads || strcmp(policy->key, key)) continue;
    *at = policy->next;
    if (is_current(policy)) {
      policy->next = cache;
      cache = policy;
      return policy;
    }
    vt_policy_release(policy);
    return NULL;
  }
  return NULL;
}

/* One policy for each directory that commands run in: those that were not used for longest go. */
static void trim(void) {
  int kept = 0;
  for (struct vt_policy **at = &cache; *at;) {
    struct vt_policy *policy = *at;
    if (++kept <= MOST_CACHED) {
      at = &policy->next;
      continue;
    }
    *at = policy->next;
    vt_policy_release(policy);
  }
}

static void put_first(struct vt_policy *policy) {
  policy->next = cache;
  cache = policy;
  trim();
}

static struct vt_policy *make(const struct vt_policy_options *options, int abi, char *key, int *step) {
  struct vt_policy *policy = calloc(1, sizeof *policy);
  if (!policy) return NULL;
  policy->references = 1;
  policy->ruleset = -1;
  policy->abi = abi;
  policy->key = key;
  if (build(policy, options, step)) {
    int error = errno;
    policy->key = NULL;
    vt_policy_release(policy);
    errno = error;
    return NULL;
  }
  return policy;
}

struct vt_policy *vt_policy_take(const struct vt_policy_options *options, int *step) {
  int abi = options->abi > 0 ? options->abi : vt_landlock_abi();
  *step = VT_STEP_RULESET;
  char *key = key_of(options, abi);
  if (!key) return NULL;
  pthread_mutex_lock(&cache_lock);
  struct vt_policy *policy = find(key, options->reads);
  if (policy) {
    free(key);
  } else if ((policy = make(options, abi, key, step))) {
    /* A policy with a private directory or a terminal serves one command: nothing to keep. */
    if ((options->writable && *options->writable) || options->terminal) policy->references = 0;
    else put_first(policy);
  } else {
    free(key);
  }
  if (policy) vt_policy_retain(policy);
  pthread_mutex_unlock(&cache_lock);
  return policy;
}

void vt_policy_retain(struct vt_policy *policy) { __atomic_add_fetch(&policy->references, 1, __ATOMIC_RELAXED); }

void vt_policy_release(struct vt_policy *policy) {
  if (__atomic_sub_fetch(&policy->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  if (policy->ruleset >= 0) close(policy->ruleset);
  if (policy->reads) vt_reads_release(policy->reads);
  free(policy->key);
  free(policy->writable);
  free(policy);
}
