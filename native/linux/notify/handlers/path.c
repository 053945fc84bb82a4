/* Calls that Landlock decides. Refuses, and reports, the changes that Landlock would refuse; other calls continue, and
 * Landlock checks them, whatever the caller's memory then holds. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "notify/dispatch.h"
#include "notify/handlers/workspace_ops.h"
#include "notify/caller/place.h"
#include "confine/confinement.h"
#include "confine/ruleset.h"
#include "confine/filter/seccomp_constants.h"

enum { NO_REPLACE = 1 /* linux/fs.h: RENAME_NOREPLACE */, UNREADABLE = -2 };

static int read_path(const struct vt_notification *notification, int argument, char path[PATH_MAX]) {
  int error = vt_caller_string(&notification->caller, vt_argument(notification, argument), path, PATH_MAX);
  return error == EPERM ? UNREADABLE : error;
}

static bool is_protected(const struct vt_notification *notification, const struct vt_resolved *place) {
  return vt_place_is_protected(notification, place->path, place->exists ? &place->status : NULL);
}

static void refuse(struct vt_notification *notification, enum vt_operation operation, const struct vt_resolved *place) {
  notification->operation = operation;
  notification->error = EACCES;
  notification->counted = true;
  if (!place) return;
  notification->is_path = true;
  strcpy(notification->text, place->path);
  notification->is_protected = is_protected(notification, place);
}

/*
 * The path cannot be read. Under Yama (ptrace_scope 1) we may read descendants only, not orphans, which must still be able to
 * write to /dev/null and mkdir an existing directory: such calls continue, unreported. Undumpable processes get no exception.
 */
static void judge_unread(struct vt_notification *notification, bool often_harmless) {
  if (!often_harmless || !vt_caller_is_dumpable(&notification->caller)) refuse(notification, notification->operation, NULL);
}

/* With O_EMPTYPATH (asm-generic/fcntl.h, Linux 7.3) an empty path is the descriptor's file: takes its path. An older kernel would find
 * nothing. */
static int take_path_of_descriptor(struct vt_notification *notification) {
  if (!vt_opens(notification) || !(vt_open_flags(notification) & VT_O_EMPTYPATH)) return ENOENT;
  int base = vt_directory(notification, notification->call->directory);
  if (vt_caller_path(&notification->caller, base, notification->given, sizeof notification->given) < 0) return errno;
  return notification->given[0] == '/' ? 0 : VT_NO_FILE;
}

static int find(struct vt_notification *notification, bool follow, struct vt_resolved *place) {
  const struct vt_call *call = notification->call;
  int error = read_path(notification, call->argument, notification->given);
  if (!error && !notification->given[0]) error = take_path_of_descriptor(notification);
  if (error) return error;
  notification->given_known = true;
  if (notification->sockets && vt_own_world(notification)) return VT_NO_FILE;
  if (call->operation == VT_OP_WRITE && vt_opens_harmless(notification, NULL, vt_open_flags(notification))) return VT_NO_FILE;
  return vt_place_find(notification, vt_directory(notification, call->directory), notification->given, follow, place);
}

/* Errors that the kernel finds only after Landlock has refused: "file/" removed or renamed, a removed directory. Also a missing
 * directory in workspace mode: the notifier may make it for another thread before this call goes on to Landlock. */
static void take_late_error(struct vt_notification *notification, int error, const struct vt_resolved *place) {
  bool moves = notification->call->operation == VT_OP_DELETE || notification->call->operation == VT_OP_RENAME;
  bool missing = notification->roots && notification->given[0];
  if ((error == ENOTDIR && moves) || (error == ENOENT && (place->dead || missing))) notification->error = error;
}

/* Workspace mode: a call that makes a name fails here, as it would in the kernel, and does not go on: the caller's memory could hold
 * another path by then, and what is made there would not be noticed (notice.c). */
static void fail_here(struct vt_notification *notification, int error) {
  if (notification->roots && !notification->error && !notification->done && error > 0) notification->error = error;
}

/* mkdir(2) of "file/" finds that it exists; an open that would create it refuses the slash. */
static int late_error(const struct vt_notification *notification, int error, const struct vt_resolved *place) {
  if (error != ENOTDIR || !place->exists) return error;
  return vt_opens(notification) ? EISDIR : notification->call->judge == vt_handle_create ? EEXIST : error;
}

/* Resolves the call's path. False: nothing to refuse, or refused already. */
static bool find_own(struct vt_notification *notification, bool follow, bool often_harmless, struct vt_resolved *place) {
  place->dead = false;
  int error = find(notification, follow, place);
  if (error == UNREADABLE) judge_unread(notification, often_harmless);
  else take_late_error(notification, error, place);
  if (vt_makes_name(notification)) fail_here(notification, late_error(notification, error, place));
  return error == 0;
}

/* Changes that our own permissions forbid are refused for other reasons: not reported. */
static bool may_change(const struct vt_resolved *place) { return faccessat(place->parent, ".", W_OK | X_OK, 0) == 0; }

static int why_not_changed(const struct vt_resolved *place) { return may_change(place) ? EACCES : errno; }

static bool may_write(const struct vt_resolved *place) { return faccessat(place->parent, place->name[0] ? place->name : ".", W_OK, 0) == 0; }

/* The path's part below the granted directory: "" for the directory itself; NULL if none contains it. */
static const char *granted_part(const struct vt_notification *notification, const struct vt_resolved *place) {
  const char *rest = NULL;
  for (char **directory = notification->listener->confinement->writable; *directory && !rest; directory++)
    rest = vt_path_beneath(place->path, *directory);
  return rest;
}

/* Whether the name may come and go: a granted directory's own name is in a parent that is not granted. */
static bool is_granted_name(const struct vt_notification *notification, const struct vt_resolved *place) {
  const char *rest = granted_part(notification, place);
  return rest && *rest;
}

/* Files that programs try at every start and can do without: Landlock refuses them, unreported. The statistics are OpenJDK's
 * (perfMemory_posix.cpp), which ignores TMPDIR; pthread_setname_np(3) writes the name of each thread but the calling one; the filter is
 * for core dumps (core(5)). */
static bool is_dispensable(const struct vt_notification *notification, const struct vt_resolved *place) {
  static const char statistics[] = "/tmp/hsperfdata_";
  int process = 0, thread, end = 0;
  if (strncmp(place->path, statistics, sizeof statistics - 1) == 0) return true;
  sscanf(place->path, "/proc/%d/task/%d/comm%n", &process, &thread, &end);
  if (!end) sscanf(place->path, "/proc/%d/coredump_filter%n", &process, &end);
  return end > 0 && place->path[end] == 0 && process == vt_caller_process(&notification->caller);
}

static void judge_existing(struct vt_notification *notification, uint32_t flags, const struct vt_resolved *place) {
  mode_t mode = place->status.st_mode;
  if ((flags & O_CREAT) && (flags & O_EXCL)) return;              /* EEXIST */
  if (S_ISLNK(mode) || S_ISDIR(mode) || S_ISSOCK(mode)) return;   /* ELOOP, EISDIR, ENXIO */
  if ((flags & VT_O_ACCMODE) == O_RDONLY || !may_write(place)) return;
  if (vt_opens_harmless(notification, &place->status, flags)) return;
  if (S_ISCHR(mode) && place->status.st_rdev == notification->listener->confinement->terminal) return;
  refuse(notification, S_ISCHR(mode) || S_ISBLK(mode) ? VT_OP_DEVICE : VT_OP_WRITE, place);
}

void vt_handle_open(struct vt_notification *notification) {
  struct vt_resolved place;
  uint32_t flags = vt_open_flags(notification);
  bool exclusive = (flags & O_CREAT) && (flags & O_EXCL), unnamed = (flags & VT_O_TMPFILE) != 0;
  if (flags & O_PATH) return; /* the access mode is ignored (open(2)) */
  if (!(flags & (O_ACCMODE | O_CREAT | O_TRUNC))) return vt_own_world_read(notification);
  if (!find_own(notification, !(flags & O_NOFOLLOW) && !exclusive, !exclusive && !unnamed, &place)) return;
  bool impossible = place.slashed && !place.exists; /* EISDIR */
  if (impossible || vt_workspace_opens(notification, flags, &place) || granted_part(notification, &place) || is_dispensable(notification, &place))
    return vt_resolved_close(&place);
  if (unnamed && place.exists && S_ISDIR(place.status.st_mode) && may_write(&place))
    refuse(notification, VT_OP_CREATE, &place);
  else if (!unnamed && place.exists) judge_existing(notification, flags, &place);
  else if (!unnamed && (flags & O_CREAT) && may_change(&place)) refuse(notification, VT_OP_CREATE, &place);
  vt_resolved_close(&place);
}

void vt_handle_truncate(struct vt_notification *notification) {
  struct vt_resolved place;
  if (!find_own(notification, true, false, &place)) return;
  if (vt_workspace_truncates(notification, &place)) return vt_resolved_close(&place);
  if (place.exists && S_ISREG(place.status.st_mode) && !granted_part(notification, &place) && may_write(&place))
    refuse(notification, VT_OP_TRUNCATE, &place);
  vt_resolved_close(&place);
}

static bool removes_directory(const struct vt_notification *notification) {
  if (notification->call->call == VT_SYS_unlinkat) return (vt_argument(notification, 2) & AT_REMOVEDIR) != 0;
  return notification->call->call == VT_SYS_rmdir;
}

void vt_handle_remove(struct vt_notification *notification) {
  struct vt_resolved place;
  if (!find_own(notification, false, false, &place)) return;
  bool there = place.exists && place.name[0], fits = there && S_ISDIR(place.status.st_mode) == removes_directory(notification);
  if (there && vt_workspace_removes(notification, &place, removes_directory(notification))) return vt_resolved_close(&place);
  bool meant = fits && !is_granted_name(notification, &place) && !is_dispensable(notification, &place);
  if (meant && may_change(&place)) refuse(notification, VT_OP_DELETE, &place);
  vt_resolved_close(&place);
}

/* Landlock grants making device nodes nowhere (ruleset.c). */
static bool makes_device(const struct vt_notification *notification) {
  enum vt_syscall call = notification->call->call;
  if (call != VT_SYS_mknod && call != VT_SYS_mknodat) return false;
  mode_t mode = vt_mode(notification);
  return S_ISCHR(mode) || S_ISBLK(mode);
}

void vt_handle_create(struct vt_notification *notification) {
  struct vt_resolved place;
  bool directory = notification->call->call == VT_SYS_mkdir || notification->call->call == VT_SYS_mkdirat;
  if (!find_own(notification, false, directory, &place)) return;
  bool possible = !place.exists && (directory || !place.slashed); /* else EEXIST, ENOENT */
  if (possible && vt_workspace_creates(notification, &place)) return vt_resolved_close(&place);
  bool granted = is_granted_name(notification, &place) && !makes_device(notification);
  if (possible && !granted && !is_dispensable(notification, &place) && may_change(&place))
    refuse(notification, notification->call->operation, &place);
  fail_here(notification, place.exists ? EEXIST : !possible ? ENOENT : why_not_changed(&place));
  vt_resolved_close(&place);
}

/* Resolves both paths of a call. `follow`: a final symbolic link of the old one, too. False: see find_own(). */
static bool find_both(struct vt_notification *notification, bool follow, struct vt_resolved *old, struct vt_resolved *new) {
  const struct vt_call *call = notification->call;
  char second[PATH_MAX];
  new->dead = false;
  if (!find_own(notification, follow, false, old)) return false;
  int error = read_path(notification, call->second, second);
  if (!error) error = vt_place_find(notification, vt_directory(notification, call->second_directory), second, false, new);
  if (error) vt_resolved_close(old);
  take_late_error(notification, error, new);
  fail_here(notification, error == UNREADABLE ? EACCES : error);
  return error == 0;
}

/* A further name of a protected file is refused because of the file. */
static void refuse_link(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new) {
  refuse(notification, VT_OP_LINK, new);
  if (is_protected(notification, old)) notification->is_protected = true;
}

/* True: the call is decided. */
static bool link_descriptor(struct vt_notification *notification) {
  struct vt_resolved new;
  char path[PATH_MAX];
  int number = vt_workspace_descriptor_to_name(notification);
  if (number < 0 || read_path(notification, 3, path)) return false;
  if (vt_resolve(&notification->caller, (int)vt_argument(notification, 2), path, false, &new)) return false;
  bool private = is_granted_name(notification, &new) && !notification->roots;
  if (!private && !new.exists && !new.slashed && !vt_workspace_names(notification, number, &new)) refuse(notification, VT_OP_LINK, &new);
  if (!private) fail_here(notification, new.exists ? EEXIST : ENOENT);
  vt_resolved_close(&new);
  return !private;
}

void vt_handle_link(struct vt_notification *notification) {
  struct vt_resolved old, new;
  uint32_t flags = notification->call->call == VT_SYS_linkat ? (uint32_t)vt_argument(notification, 4) : 0;
  if (flags & ~(uint32_t)(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH)) return fail_here(notification, EINVAL);
  if (link_descriptor(notification)) return;
  if (!find_both(notification, (flags & AT_SYMLINK_FOLLOW) != 0, &old, &new)) return;
  bool possible = old.exists && !new.exists && !new.slashed, meant = possible && !S_ISDIR(old.status.st_mode);
  bool acts = possible && vt_workspace_moves(notification, &old, &new);
  if (meant && !acts && !is_granted_name(notification, &new) && may_change(&new))
    refuse_link(notification, &old, &new);
  fail_here(notification, !old.exists ? ENOENT : new.exists ? EEXIST : !possible ? ENOENT : !meant ? EPERM : why_not_changed(&new));
  vt_resolved_close(&old);
  vt_resolved_close(&new);
}

/* rename(2): the errors, in the kernel's order. */
static int why_not_renamed(const struct vt_resolved *old, const struct vt_resolved *new, bool keeps, bool misnamed) {
  if (!old->name[0] || !new->name[0]) return EBUSY;
  if (!old->exists) return ENOENT;
  if (keeps && new->exists) return EEXIST;
  return misnamed ? ENOTDIR : why_not_changed(may_change(old) ? new : old);
}

void vt_handle_rename(struct vt_notification *notification) {
  struct vt_resolved old, new;
  if (!find_both(notification, false, &old, &new)) return;
  bool keeps = notification->call->call == VT_SYS_renameat2 && (vt_argument(notification, 4) & NO_REPLACE);
  bool misnamed = new.slashed && old.exists && !S_ISDIR(old.status.st_mode); /* ENOTDIR */
  bool possible = old.exists && old.name[0] && new.name[0] && !(keeps && new.exists) && !misnamed;
  bool granted = is_granted_name(notification, &old) && is_granted_name(notification, &new);
  if (possible && !vt_workspace_moves(notification, &old, &new) && !granted && may_change(&old) && may_change(&new)) {
    /* git config renames config.lock: the protected name says what is refused. */
    bool only_new = is_protected(notification, &new) && !is_protected(notification, &old);
    refuse(notification, VT_OP_RENAME, only_new ? &new : &old);
  }
  fail_here(notification, why_not_renamed(&old, &new, keeps, misnamed));
  vt_resolved_close(&old);
  vt_resolved_close(&new);
}
