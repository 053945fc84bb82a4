/* Reads and writes the small text files of a cgroup (cgroups(7)). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { VT_CGROUP_PATH = 4096, VT_CGROUP_LONG = VT_CGROUP_PATH + 64 };

/* Writes DIRECTORY/NAME; false: too long. */
bool vt_cgroup_path(char path[VT_CGROUP_LONG], const char *directory, const char *name);

/* Zero-terminates; returns the length, 0 on failure. */
size_t vt_cgroup_read(const char *directory, const char *name, char *text, size_t size);

/* 0, or -1 with errno. */
int vt_cgroup_write(const char *directory, const char *name, const char *text);
