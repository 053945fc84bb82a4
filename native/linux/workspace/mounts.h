/* Mounts beneath the roots of a workspace are not crossed: Landlock's grants would be (landlock(7)). */
#pragma once

#include <stdbool.h>

struct vt_workspace;

/* Protects every mount beneath a root; true if there is one. */
bool vt_mounts_protect(struct vt_workspace *workspace);

/* Grows with every change of the mounts; -1: that cannot be told. */
long vt_mounts_changes(void);
