/* New names in directories, as the kernel tells of them (inotify(7)): no directory has to be looked at to know of none. */
#pragma once

#include <stdbool.h>

/* For directories beneath `root`; -1 where not every change would be told, or no more can be listened to. */
int vt_inotify_open(const char *root);

/* To be called before what is in the directory is looked at. False: it cannot be listened to. */
bool vt_inotify_add(int notices, const char *directory);

/* Whether nothing came to be since but files whose name does not `matter`. What was told once is not told again. */
bool vt_inotify_unchanged(int notices, bool (*matters)(const void *context, const char *name), const void *context);
