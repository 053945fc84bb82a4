/* The watcher's part about cgroups: those of the host that has died, by the names that cgroup.c gave them. */
#pragma once

struct vt_watch_table;

/* Kills everybody in the cgroup of each command that runs, where the kernel can (cgroup.kill, 5.14). */
void cgroups_kill(const struct vt_watch_table *table);

/* Removes every cgroup of this host's that nobody is left in. Returns how many of commands that run are still busy. */
int cgroups_remove(const struct vt_watch_table *table);
