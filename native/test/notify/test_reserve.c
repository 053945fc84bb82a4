/* A moment in which no thread could be started does not keep later calls from lookups: a spare notifier is started then. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "confine/probe.h"
#include "notify/denials.h"
#include "notify/notify_threads.h"
#include "test/check.h"
#include "test/commands.h"

static int left = 1000000; /* threads that can be started */

typedef int (*creates)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* In the place of libc's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context) {
  creates create = (creates)dlsym(RTLD_NEXT, "pthread_create");
  return left-- > 0 ? create(thread, attributes, run, context) : EAGAIN;
}

int main(void) {
  if (!vt_probe()->listener || vt_probe()->landlock_abi < 1) {
    printf("spare notifiers: skipped, no Landlock or no listener here\n");
    return 0;
  }
  left = 1;
  CHECK(vt_notifier_ready() == 0, "no notifier started");
  left = 1000000;
  struct vt_command *command = make_command("/bin/sh", "echo x >/dev/null", "/");
  confine_command(command, NULL);
  struct vt_end end = wait_for(start_command(command))->end;
  CHECK(end.code == 0, "exit %ld", (long)end.code);
  vt_denials_free(end.denials);
  return finish("a spare notifier is started once that is possible");
}
