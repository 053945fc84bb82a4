/* Confinements with a private directory whose command has ended. Building one takes as long as starting a command, so the next
 * command with the same options gets it, with its own directory granted as well. Only once the old directory is removed, or if
 * both commands have the same one: rules belong to inodes (landlock(7)), and that of a removed directory grants nothing. */
#pragma once

#include <stdbool.h>

struct vt_confinement;
struct vt_reads;

/* `directory`: the next command's private directory. NULL: none fits. */
struct vt_confinement *vt_confinement_pool_take(const char *key, const struct vt_reads *reads, const char *directory);

bool vt_confinement_pool_keep(struct vt_confinement *confinement);

/* Call after a directory was removed: closes its descriptor, which would keep its file system busy. */
void vt_confinement_pool_prune(void);
