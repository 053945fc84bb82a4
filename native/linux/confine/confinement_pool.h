/*
 * Policies with a private directory that have served their command. To build one takes as long as to start a command, so the next one with the same
 * options takes it over and has its own directory granted, too. Never while the old one is there: rules belong to inodes
 * (landlock(7)), and that of a directory that is gone grants nothing to anybody.
 */
#pragma once

#include <stdbool.h>

struct vt_confinement;
struct vt_reads;

/* One for these options whose directories are gone, the caller's alone; NULL: there is none. */
struct vt_confinement *vt_confinement_pool_take(const char *key, const struct vt_reads *reads);

/* Takes one that nobody uses any more; false: it is the caller's to free. */
bool vt_confinement_pool_keep(struct vt_confinement *policy);

/* A directory was removed: none of its file system stays open. */
void vt_confinement_pool_prune(void);
