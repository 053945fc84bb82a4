/* The processes of the machine, as /proc shows them. Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef int (*vt_procfs_visit)(void *context, pid_t pid);

/* A descriptor of /proc, for one thread at a time; -1 and errno. */
int vt_procfs_open(void);

/* Calls `found` for every process id that /proc shows, in ascending order; returns the sum. */
int vt_procfs_each(int proc, void *context, vt_procfs_visit found);

/* Whether the environment that the process was started with holds the cookie. The text is read into `buffer`. */
int vt_procfs_has_cookie(pid_t pid, const char *cookie, char *buffer, size_t size);

/* Reads /proc/PID/NAME, zero-terminated; returns the length, 0 when it is gone, empty, or not for us to read. */
size_t vt_procfs_read(pid_t pid, const char *name, char *buffer, size_t size);

/* Whether the thread waits for something: it neither runs, nor is it held up by the scheduler or a signal that stops it. */
bool vt_procfs_thread_sleeps(pid_t thread);
