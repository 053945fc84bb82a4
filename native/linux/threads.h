/* The two native threads: they take no signals and live as long as the process. */
#pragma once

/* Starts a thread that never ends; aborts the process when the system has none left, for nothing could run without it. */
void vt_thread_start(const char *name, void *(*run)(void *));
