/* Carries out calls in a workspace where Landlock cannot grant: entries made directly in a directory that holds something
 * protected, and whatever a command makes there. Each acts on a descriptor of the parent that is proven to lie beneath the root
 * (workspace.h), never on a path: the caller's memory may change. */
#pragma once

#include "notify/notification.h"
#include "notify/caller/resolve.h"

/* Each returns false if the workspace has no part in the call, or the refusal stands. */
bool vt_workspace_opens(struct vt_notification *notification, uint32_t flags, const struct vt_resolved *place);
bool vt_workspace_truncates(struct vt_notification *notification, const struct vt_resolved *place);
bool vt_workspace_removes(struct vt_notification *notification, const struct vt_resolved *place, bool directory);
bool vt_workspace_creates(struct vt_notification *notification, const struct vt_resolved *place);
bool vt_workspace_links(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new);
bool vt_workspace_renames(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new);

/* The caller's descriptor that linkat(2) names, by AT_EMPTY_PATH or by its link in /proc; -1: none. */
int vt_workspace_descriptor_to_name(struct vt_notification *notification);
/* Gives the file of the caller's descriptor a name. */
bool vt_workspace_names(struct vt_notification *notification, int number, const struct vt_resolved *place);

/* For the report of a refusal: whether a resolved path is protected, leads to something protected, or is another name of a
 * protected file. `status`: of the file, NULL: unknown or missing. */
bool vt_workspace_marks(const struct vt_notification *notification, const char *path, const struct stat *status);

/* Whether our descriptor is of a file in the workspace that may be changed; `path` is the kernel's name of it. */
bool vt_workspace_holds(const struct vt_listener *listener, int fd, const char *path);
