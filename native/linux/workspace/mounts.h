/* Landlock's grants for the roots of a workspace extend into mounts beneath them (landlock(7)), so mounts are protected. */
#pragma once

struct vt_workspace;

/* Marks those beneath a root, and sets `has_mounts` if there is one. Returns 0, or -1 with errno: they are not known. */
int vt_mounts_protect(struct vt_workspace *workspace);

/* A counter of mount changes; -1: they cannot be observed. */
long vt_mounts_changes(void);
