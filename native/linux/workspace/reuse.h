/* A workspace serves several commands, one after another, while nothing changes that its rules depend on. */
#pragma once

#include <stdbool.h>

struct vt_place;
struct vt_workspace;

/* The root that is a command's private TMPDIR: the rules do not depend on it. */
bool vt_workspace_is_private(const struct vt_place *places, const char *root);

/* Records what the rules depend on; before they are made. */
void vt_workspace_watch(struct vt_workspace *workspace);

/* False: changes could go unnoticed (mounts, too many files, a change in the current clock tick). */
bool vt_workspace_lasts(const struct vt_workspace *workspace);

/* Opens the private roots of a command. 0, or -1 with errno. */
int vt_workspace_open_private(struct vt_workspace *workspace, const struct vt_place *places);

/* Between two commands: holds no directory open, as it would keep a file system from being unmounted. */
void vt_workspace_rest(struct vt_workspace *workspace);

/* For the next command with the same roots and protected paths. False: something has changed. */
bool vt_workspace_resume(struct vt_workspace *workspace, const struct vt_place *places);
