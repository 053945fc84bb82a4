/* The native threads: they take no signals and live as long as the process. */
#pragma once

#include <stdbool.h>

/* Starts a thread that never ends; aborts the process when the system has none left, for nothing could run without it. */
void vt_thread_start(const char *name, void *(*run)(void *));

/* The same with a context, for a thread that others can do without: false when the system has none left. */
bool vt_thread_try(const char *name, void *(*run)(void *), void *context);
