/* While inotify(7) is silent about the searched directories, the cached rules stay valid. */
#pragma once

#include <stdbool.h>

/* For directories beneath `root`; -1: it would miss changes there, or no instance is left. */
int vt_inotify_open(const char *root);

/* Call before the directory is read. False: it cannot be watched. */
bool vt_inotify_add(int notices, const char *directory);

/* True if no event since the last call is about a directory or a name that `matters`. Consumes the events. */
bool vt_inotify_unchanged(int notices, bool (*matters)(const void *context, const char *name), const void *context);
