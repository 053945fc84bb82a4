#include "launch/prepare.h"

#include "base/threads.h"
#include "confine/confine.h"
#include "confine/probe.h"
#include "launch/launcher.h"
#include "notify/notifiers.h"
#include "supervise/supervisor.h"
#include "watcher/host_side.h"

/* What fails here is tried again, and reported, when a command needs it; only the probe is made once (confine/probe.c). */
static void *prepare(void *context) {
  struct vt_command *command = context;
  enum vt_step step;
  vt_probe();
  vt_core_watch();
  vt_supervisor_ready();
  vt_launcher_ready();
  if (command->with_listener) vt_notifier_ready();
  if (command->places) vt_confine(command, &step);
  vt_command_free(command);
  return NULL;
}

void vt_prepare(struct vt_command *command) {
  if (vt_thread_try("vitrine-prepare", prepare, command)) vt_command_free(command);
}
