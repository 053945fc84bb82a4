/* What is mounted where, as this process sees it. */
#pragma once

typedef void (*vt_mounts_visit)(void *context, const char *path);

/* Shows the path of each mount. Returns 0, or -1 with errno: not all are known. */
int vt_mounts_each(void *context, vt_mounts_visit found);

/* A counter of mount changes; -1: they cannot be observed. */
long vt_mounts_changes(void);
