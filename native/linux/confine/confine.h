/* Which confinement a command gets: an earlier one that serves again, or a new one. */
#pragma once

#include "base/command.h"
#include "confine/confinement.h"

/* Sets command->confinement. Reads directories, which may block forever: never on the JavaScript thread. Returns 0, or -1 with
 * errno and the failed *step: then the command must not start. */
int vt_confine(struct vt_command *command, const char **step);

/* The same without a command. NULL with errno and *step if it cannot be built. */
struct vt_confinement *vt_confinement_take(struct vt_confinement_options *options, const char **step);
void vt_confinement_retain(struct vt_confinement *confinement);
void vt_confinement_release(struct vt_confinement *confinement);

/* Call after a directory was removed: closes its descriptor, which would keep its file system busy. */
void vt_confinement_prune(void);

/* The texts of the places of one kind, NULL-terminated, in an array to be freed. */
const char **vt_places_of(const struct vt_place *places, enum vt_place_kind kind);
