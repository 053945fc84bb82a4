#pragma once

#include "base/command.h"

/* Sets command->confinement. Reads directories, which may block forever: never on the JavaScript thread. Returns 0, or -1 with
 * errno and the failed *step: then the command must not start. */
int vt_confine(struct vt_command *command, enum vt_step *step);

/* The texts of the places of one kind, NULL-terminated, in an array to be freed. */
const char **vt_places_of(const struct vt_place *places, enum vt_place_kind kind);
