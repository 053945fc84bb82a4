#include "base/command.h"

#include <stdlib.h>

#include "confine/confinement.h"

const char *vt_core_step_name(int step) {
  static const char *const names[] = {
      [VT_STEP_NONE] = "none",
      [VT_STEP_RULESET] = "landlock ruleset",
      [VT_STEP_FILTER] = "seccomp filter",
      [VT_STEP_THREADS] = "native threads",
      [VT_STEP_PIPES] = "pipes",
      [VT_STEP_TERMINAL] = "terminal",
      [VT_STEP_WATCHER] = "watcher",
      [VT_STEP_WORKSPACE] = "workspace",
      [VT_STEP_CLONE] = "clone",
      [VT_STEP_SIGNALS] = "signals",
      [VT_STEP_SESSION] = "setsid",
      [VT_STEP_CGROUP] = "cgroup",
      [VT_STEP_CWD] = "chdir",
      [VT_STEP_CORE_DUMPS] = "core dumps",
      [VT_STEP_LIMITS] = "resource limits",
      [VT_STEP_CAPABILITIES] = "capabilities",
      [VT_STEP_NO_NEW_PRIVS] = "no_new_privs",
      [VT_STEP_PARENT_DEATH] = "parent death signal",
      [VT_STEP_LANDLOCK] = "landlock_restrict_self",
      [VT_STEP_SECCOMP] = "seccomp",
      [VT_STEP_DESCRIPTORS] = "close_range",
      [VT_STEP_STDIO] = "standard streams",
      [VT_STEP_EXEC] = "exec",
      [VT_STEP_WAIT] = "wait",
  };
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
