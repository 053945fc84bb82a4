#define _GNU_SOURCE
#include "confine/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/files.h"
#include "confine/ruleset.h"
#include "confine/probe.h"
#include "workspace/workspace.h"

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
  return vt_must(vt_paths_copy(paths ? paths : none));
}

static int look_at_terminal(struct vt_confinement *confinement, int terminal) {
  struct stat status;
  if (terminal <= 0) return 0;
  if (fstat(terminal, &status)) return -1;
  confinement->terminal = status.st_rdev;
  return 0;
}

/* Whether the command may read more than what it shares with others: its directories and its terminal. */
static bool reads_more(const struct vt_confinement_options *options, int abi) {
  bool own = options->terminal > 0 || (options->writable && *options->writable);
  return own || (options->reads->ruleset >= 0 && options->reads->abi != abi);
}

/* Made once, and owned by `reads`. */
static int shared_reading(struct vt_places *reads, int abi) {
  if (reads->ruleset < 0) {
    reads->ruleset = vt_landlock_build_reads(abi, reads, NULL, 0);
    reads->abi = abi;
  }
  return reads->ruleset;
}

static int build_reading(struct vt_confinement *confinement, const struct vt_confinement_options *options) {
  if (!options->reads) return 0;
  confinement->owns_reading = reads_more(options, confinement->abi);
  confinement->reading = confinement->owns_reading
                        ? vt_landlock_build_reads(confinement->abi, options->reads, options->writable, options->terminal)
                        : shared_reading(options->reads, confinement->abi);
  return confinement->reading < 0 ? -1 : 0;
}

/* Marks are unique numbers below the limit that the host has, and this process reads those of others by its real ids (prlimit(2)). */
static bool can_mark(bool listener) {
  struct rlimit limit;
  if (!listener || !vt_probe()->limits || getrlimit(RLIMIT_LOCKS, &limit) || limit.rlim_max != RLIM_INFINITY) return false;
  return getuid() == geteuid() && getgid() == getegid();
}

static int build(struct vt_confinement *confinement, const struct vt_confinement_options *options, const char **step) {
  bool marks = can_mark(options->listener);
  struct vt_landlock_options landlock = {confinement->abi, options->network, options->near, options->writable,
                                         options->terminal, options->workspace, options->own_sockets && marks};
  confinement->workspace = options->workspace;
  if (confinement->workspace) vt_workspace_retain(confinement->workspace);
  confinement->listener = options->listener;
  confinement->listener_proves = options->listener && vt_probe()->listener_proves;
  confinement->listener_flags = vt_probe_listener_flags();
  confinement->marks = marks;
  confinement->reads = options->reads;
  if (confinement->reads) vt_places_retain(confinement->reads);
  *step = "landlock ruleset";
  confinement->writable = copy_paths(options->writable);
  if (look_at_terminal(confinement, options->terminal)) return -1;
  if (confinement->abi < 1 || stat("/", &confinement->root)) return -1;
  confinement->ruleset = vt_landlock_build(&landlock);
  if (confinement->ruleset < 0 || build_reading(confinement, options)) return -1;
  *step = "seccomp filter";
  return build_filter(confinement, options);
}

struct vt_confinement *vt_confinement_make(const struct vt_confinement_options *options, const char **step) {
  struct vt_confinement *confinement = vt_must(calloc(1, sizeof *confinement));
  confinement->references = 1;
  confinement->ruleset = confinement->reading = confinement->granted = -1;
  confinement->abi = options->abi;
  if (build(confinement, options, step) == 0) return confinement;
  int error = errno;
  vt_confinement_free(confinement);
  errno = error;
  return NULL;
}

void vt_confinement_free(struct vt_confinement *confinement) {
  if (confinement->granted >= 0) close(confinement->granted);
  if (confinement->ruleset >= 0) close(confinement->ruleset);
  if (confinement->owns_reading && confinement->reading >= 0) close(confinement->reading);
  if (confinement->reads) vt_places_release(confinement->reads);
  if (confinement->workspace) vt_workspace_release(confinement->workspace);
  free(confinement->key);
  free(confinement->writable);
  free(confinement);
}

/* A top-level directory created or mounted since the build would not be readable. */
static bool is_current(const struct vt_confinement *confinement) {
  struct stat root;
  return confinement->marks == can_mark(confinement->listener) && stat("/", &root) == 0 &&
         root.st_mtim.tv_sec == confinement->root.st_mtim.tv_sec && root.st_mtim.tv_nsec == confinement->root.st_mtim.tv_nsec &&
         root.st_dev == confinement->root.st_dev;
}

void vt_confinement_lend(struct vt_confinement *confinement) {
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

bool vt_confinement_serves(struct vt_confinement *confinement, const struct vt_confinement_options *options) {
  if (!is_current(confinement)) return false;
  if (!confinement->private) return true;
  free(confinement->writable);
  confinement->writable = copy_paths(options->writable);
  if (confinement->workspace && !vt_workspace_resume(confinement->workspace, options->places)) return false;
  return confinement->granted >= 0 || grant_next(confinement) == 0;
}
