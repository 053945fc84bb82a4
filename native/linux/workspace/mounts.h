/* Landlock's grants for the roots of a workspace extend into mounts beneath them (landlock(7)), so mounts are protected. */
#pragma once

#include <stdbool.h>

struct vt_workspace;

/* True if there is a mount beneath a root. */
bool vt_mounts_protect(struct vt_workspace *workspace);

/* A counter of mount changes; -1: they cannot be observed. */
long vt_mounts_changes(void);
