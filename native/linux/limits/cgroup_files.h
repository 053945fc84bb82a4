#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { VT_CGROUP_PATH = 4096, VT_CGROUP_LONG = VT_CGROUP_PATH + 64 };

bool vt_cgroup_path(char path[VT_CGROUP_LONG], const char *directory, const char *name);

size_t vt_cgroup_read(const char *directory, const char *name, char *text, size_t size);

int vt_cgroup_write(const char *directory, const char *name, const char *text);
