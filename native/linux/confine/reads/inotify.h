/* inotify(7) watches on the searched directories: while they are silent the cached rules stay valid without a new search. */
#pragma once

#include <stdbool.h>

/* Opens an inotify descriptor for directories beneath `root`; -1 if it would miss changes there, or none is left. */
int vt_inotify_open(const char *root);

/* Call before the directory is read. False: it cannot be watched. */
bool vt_inotify_add(int notices, const char *directory);

/* True if no event since the last call is about a directory or a name that `matters`. Consumes the events. */
bool vt_inotify_unchanged(int notices, bool (*matters)(const void *context, const char *name), const void *context);
