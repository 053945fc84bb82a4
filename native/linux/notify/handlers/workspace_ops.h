/* Carries out calls in a workspace where Landlock cannot grant: entries made directly in a directory that holds something
 * protected, and whatever a command makes there. Each acts on a descriptor of the parent that is proven to lie beneath the root
 * (workspace.h), never on a path: the caller's memory may change. */
#pragma once

#include <errno.h>

#include "confine/confinement.h"
#include "notify/caller/place.h"
#include "notify/notification.h"
#include "workspace/workspace.h"

/* Each returns false if the workspace has no part in the call, or the refusal stands. */
bool vt_workspace_opens(struct vt_notification *notification, uint32_t flags, const struct vt_resolved *place);
bool vt_workspace_truncates(struct vt_notification *notification, const struct vt_resolved *place);
bool vt_workspace_removes(struct vt_notification *notification, const struct vt_resolved *place, bool directory);
bool vt_workspace_creates(struct vt_notification *notification, const struct vt_resolved *place);
/* link(2), rename(2) */
bool vt_workspace_moves(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new);

/* moves.c: the caller's descriptor that linkat(2) names, by AT_EMPTY_PATH or by its link in /proc; -1: none. */
int vt_workspace_descriptor_to_name(struct vt_notification *notification);
/* Gives the file of the caller's descriptor a name. */
bool vt_workspace_names(struct vt_notification *notification, int number, const struct vt_resolved *place);

/* new_git.c: calls about the configuration of a git directory that the command may make. False: another path, or the refusal stands. */
bool vt_new_config_opens(struct vt_notification *notification, uint32_t flags, const struct vt_resolved *place);
bool vt_new_config_moves(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new);
bool vt_new_config_removes(struct vt_notification *notification, const struct vt_resolved *place, bool directory);
/* After a call has made `name` in `parent`. */
void vt_new_git_made(struct vt_notification *notification, int parent, const char *path, const char *name);
/* Whether our descriptor is of one: git changes its mode and back to see whether modes count. */
bool vt_is_new_config(const struct vt_listener *listener, int fd);

/* Whether our descriptor is of a file in the workspace that may be changed; `path` is the kernel's name of it. */
bool vt_workspace_holds(const struct vt_listener *listener, int fd, const char *path);

/* Finds the spot, with its parent where the notifier acts. Asks about a protected one. */
enum vt_spot_kind vt_workspace_spot(struct vt_notification *notification, const struct vt_resolved *place, bool acts, struct vt_spot *spot);

/* A file that was opened without truncating and waiting, and looked at with this outcome: -1 with errno, closed, or as the flags say. */
int vt_workspace_settle(int fd, int error, uint32_t flags);

/* False: the caller is gone, and nothing is carried out. */
bool vt_workspace_may_act(struct vt_notification *notification);

/* Notes the outcome of a call that was carried out. */
static inline void vt_workspace_finish(struct vt_notification *notification, int failed) { vt_answer(notification, failed ? errno : 0); }

static inline const struct vt_workspace *vt_workspace_of(const struct vt_notification *notification) {
  return notification->listener->confinement->workspace;
}

/* The call goes on, and Landlock decides: the caller has a sandbox of its own (caller/caller.h). */
static inline bool vt_spot_is_left(const struct vt_spot *spot) { return spot->kind == VT_SPOT_GRANTED && spot->parent < 0; }

/* An entry that the command may make, remove or replace. */
static inline bool vt_spot_is_in(const struct vt_spot *spot) {
  return (spot->kind == VT_SPOT_HELD || spot->kind == VT_SPOT_GRANTED) && spot->parent >= 0 && spot->name[0];
}

/* notice.c: notices what a command of workspace mode makes or changes that programs outside obey (notify/listener.h): repositories of git, and
 * names of the owner's table. Git takes a directory for a repository only if it finds `objects` and `refs` (setup.c, is_git_directory),
 * which have to be directories, links or executable files. Every call that could make one of these is made by the workspace server, so
 * the name that is compared is the name that is made; a call that goes on could make another.
 *
 * The names of the owner's table, for all commands from now on: each a line, `a/b` or `*.suffix`. Once. */
void vt_notice_names(const char *lines);

/* Before a call changes or removes the file at `place`, by name. */
void vt_notice_change(struct vt_notification *notification, const struct vt_resolved *place);

/* EILSEQ: a repository there could not be listed, because its path is not UTF-8. Else 0. */
int vt_notice_objection(const struct vt_notification *notification, const struct vt_resolved *place);

/* After a call has made `name` in `parent`. */
void vt_notice_made(struct vt_notification *notification, int parent, const char *path, const char *name);

/* After a directory was moved. */
void vt_notice_moved(struct vt_notification *notification, const char *old, const char *new);

/* Before the file of a descriptor becomes executable. */
void vt_notice_executable(struct vt_notification *notification, int fd);

/* Before a reply: a call that makes a name, and goes on. */
void vt_notice_reply(struct vt_notification *notification);
