#pragma once

struct vt_watch_table;

/* Kills the cgroups of running commands (Linux 5.14; without effect before). */
void cgroups_kill(const struct vt_watch_table *table);

/* Removes empty ones. Returns how many of running commands are still busy. */
int cgroups_remove(const struct vt_watch_table *table);
