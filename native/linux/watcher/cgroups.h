/* Kills and removes the cgroups of the dead host, known by the names that cgroup.c gave them. */
#pragma once

struct vt_watch_table;

/* Kills all processes in the cgroups of running commands (cgroup.kill, Linux 5.14; without effect before). */
void cgroups_kill(const struct vt_watch_table *table);

/* Removes each empty cgroup of the host. Returns how many of the running commands' are still busy. */
int cgroups_remove(const struct vt_watch_table *table);
