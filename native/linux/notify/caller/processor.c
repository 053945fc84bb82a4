#define _GNU_SOURCE
#include "notify/caller/processor.h"

#include <sys/syscall.h>
#include <unistd.h>

/* Not sched_getcpu(3): glibc keeps the number in thread-local storage, which may be another thread's (workspace_server.c). */
static int this_processor(void) {
  unsigned number;
  return syscall(SYS_getcpu, &number, NULL, NULL) == 0 && number < CPU_SETSIZE ? (int)number : -1;
}

bool vt_processor_hold(pid_t thread, struct vt_held_processor *held) {
  int processor = this_processor();
  cpu_set_t only;
  held->thread = thread;
  if (processor < 0 || sched_getaffinity(0, sizeof held->own, &held->own)) return false;
  if (sched_getaffinity(thread, sizeof held->of_thread, &held->of_thread)) return false;
  if (!CPU_ISSET(processor, &held->of_thread) || CPU_COUNT(&held->of_thread) == 1) return false;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  if (sched_setaffinity(thread, sizeof only, &only)) return false; /* EPERM: of another user */
  sched_setaffinity(0, sizeof only, &only);
  return true;
}

void vt_processor_release(const struct vt_held_processor *held) {
  sched_setaffinity(held->thread, sizeof held->of_thread, &held->of_thread);
  sched_setaffinity(0, sizeof held->own, &held->own);
}
