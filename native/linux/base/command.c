#include "base/command.h"

#include <stdlib.h>

#include "confine/confine.h"

const char *vt_core_step_name(int step) {
#define NAME(step, name) [VT_STEP_##step] = name,
  static const char *const names[] = {VT_STEPS(NAME)};
#undef NAME
  return names[step];
}

void vt_command_free(struct vt_command *command) {
  if (command->confinement) vt_confinement_release(command->confinement);
  free(command->strings);
  free(command->candidates);
  free(command->argv);
  free(command->envp);
  free(command->places);
  free(command->writable);
  free(command);
}
