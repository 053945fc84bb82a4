#include "confine/confine.h"

#include <errno.h>
#include <stdlib.h>

#include "base/basics.h"
#include "confine/confinement.h"
#include "confine/places/places.h"
#include "supervise/terminal.h"
#include "workspace/workspace.h"

const char **vt_places_of(const struct vt_place *places, enum vt_place_kind kind) {
  size_t count = 0;
  while (places[count].kind) count++;
  const char **paths = vt_must(calloc(count + 1, sizeof *paths)), **at = paths;
  for (; places->kind; places++)
    if (places->kind == kind) *at++ = places->text;
  return paths;
}

/* The workspace first, without a lock: the search for other names of protected files can take long. */
static struct vt_confinement *build(struct vt_confinement_options *options, enum vt_step *step) {
  options->workspace = vt_workspace_open(options->places, options->reads);
  *step = VT_STEP_WORKSPACE;
  if (!options->workspace && errno) return NULL;
  int failed_step = VT_STEP_NONE;
  struct vt_confinement *confinement = vt_confinement_take(options, &failed_step);
  int error = errno;
  if (options->workspace) vt_workspace_release(options->workspace);
  *step = (enum vt_step)failed_step;
  errno = error;
  return confinement;
}

int vt_confine(struct vt_command *command, enum vt_step *step) {
  const char **sockets = vt_places_of(command->places, VT_SOCKET);
  struct vt_places *reads = vt_places_take(command->places);
  command->writable = vt_places_of(command->places, VT_WRITABLE);
  struct vt_confinement_options options = {
      .abi = command->abi,
      .network = command->network,
      .proxied = command->proxy.port != 0,
      .own_sockets = command->world != 0,
      .listener = command->with_listener,
      .near = command->cwd,
      .reads = reads,
      .writable = command->writable,
      .places = command->places,
      .sockets = sockets,
      .terminal = command->terminal ? command->terminal->slave : 0,
  };
  command->confinement = vt_confinement_reuse(&options);
  if (!command->confinement) command->confinement = build(&options, step);
  int error = errno;
  if (reads) vt_places_release(reads);
  free(sockets);
  errno = error;
  return command->confinement ? 0 : -1;
}
