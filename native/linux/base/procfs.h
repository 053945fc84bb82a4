/* Processes, and what is mounted where, as /proc tells. Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef int (*vt_procfs_visit)(void *context, pid_t pid);

/* Returns a descriptor of /proc, for one thread at a time, or -1 with errno. */
int vt_procfs_open(void);

/* Ascending; returns the sum of the results. */
int vt_procfs_each(int proc, void *context, vt_procfs_visit found);

/* Whether the initial environment contains the cookie; `buffer` is scratch space. */
int vt_procfs_has_cookie(pid_t pid, const char *cookie, char *buffer, size_t size);

typedef bool (*vt_procfs_link)(void *context, int directory, const char *name, const char *target);

/* Shows the links of /proc/PID/fd with their targets, until one is found. */
bool vt_procfs_find_link(pid_t pid, void *context, vt_procfs_link found);

/* /proc/PID/NAME, for reading; -1 with errno. */
int vt_procfs_file(pid_t pid, const char *name);

/* Always ends with NUL. Returns the length; 0: gone, empty or unreadable. */
size_t vt_procfs_read(pid_t pid, const char *name, char *buffer, size_t size);

/* The decimal number behind a label; 0: no such label. */
uint64_t vt_number_after(const char *text, const char *label);

/* The same for a set of bits, which /proc writes in hexadecimal. */
uint64_t vt_bits_after(const char *text, const char *label);

/* Whether it has begun to end, or was sent a signal that ends it (proc_pid_stat(5)); false if that is not known. */
bool vt_procfs_is_ending(pid_t pid);

/* The umask of a thread (proc_pid_status(5)), or -1. */
int vt_procfs_umask(pid_t thread);

typedef void (*vt_mounts_visit)(void *context, const char *path);

/* Shows the path of each mount. Returns 0, or -1 with errno: not all are known. */
int vt_mounts_each(void *context, vt_mounts_visit found);

/* A counter of mount changes; -1: they cannot be observed. */
long vt_mounts_changes(void);
