#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "base/kernel.h"
#include "base/threads.h"
#include "lookup/worker.h"

/* One process per set of questions, because a call into a file system may ignore even SIGKILL (a FUSE server that has read the
 * request and stopped: request_wait_answer, fs/fuse/dev.c): a thread in such a call keeps its process from ending. A child in our
 * memory (CLONE_VM | CLONE_VFORK, clone(2)) costs 30 us, can mostly be killed, and else stays behind: the parent's wait for it ends
 * with the host (wait_for_vfork_done, kernel/fork.c). */
enum { WORKERS = 8, STACK = 64 * 1024, KEPT_ROOM = 256 * 1024 };

struct lookup {
  struct lookup *next;
  struct vt_owner *owner;
  uint32_t id;
  struct vt_text questions;
};

struct worker {
  struct lookup *lookup;
  bool given_up;
  pid_t child;           /* not reaped; 0: none */
  struct vt_answers answers;
  char *stack;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued = PTHREAD_COND_INITIALIZER;
static struct lookup *first, **last = &first;
static struct worker workers[WORKERS];
static int threads, idle, waiting, hanging;

/* The child must not keep open, flush or use any descriptor of the host. */
static int leave_descriptors(void) {
  return syscall(NR_CLOSE_RANGE, 0, ~0u, RANGE_UNSHARE) == 0 ? 0 : unshare(CLONE_FILES);
}

static int child(void *context) {
  struct worker *worker = context;
  const struct vt_text *questions = &worker->lookup->questions;
  bool wanted = !__atomic_load_n(&worker->given_up, __ATOMIC_ACQUIRE); /* if set later, SIGKILL follows */
  if (wanted && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && leave_descriptors() == 0)
    vt_lookup_run(questions->at, questions->length + 1, &worker->answers);
  _exit(0);
}

/* If clone fails (RLIMIT_NPROC; EINVAL under an emulator), a hanging lookup blocks one of the WORKERS threads. */
static void run_in_thread(struct worker *worker) {
  const struct vt_text *questions = &worker->lookup->questions;
  if (!__atomic_load_n(&worker->given_up, __ATOMIC_ACQUIRE)) vt_lookup_run(questions->at, questions->length + 1, &worker->answers);
}

/* Blocks until the child or the host ends. The kernel stores the child's pid, for give_up_running(), before it runs. */
static void run(struct worker *worker) {
  int flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_PARENT_SETTID;
  pid_t pid = clone(child, worker->stack + STACK, flags, worker, &worker->child);
  if (pid < 0) run_in_thread(worker);
  pthread_mutex_lock(&lock); /* its pid cannot be reused until it is reaped */
  worker->child = 0;
  pthread_mutex_unlock(&lock);
  if (pid > 0) waitpid(pid, NULL, __WALL);
}

static void free_lookup(struct lookup *lookup) {
  lookup->owner->release(lookup->owner);
  free(lookup->questions.at);
  free(lookup);
}

/* Under the lock: either the owner or the caller of vt_core_give_up_looking() gets the answers. */
static void deliver(struct worker *worker) {
  struct lookup *lookup = worker->lookup;
  pthread_mutex_lock(&lock);
  if (!worker->given_up) {
    struct vt_looked looked = {lookup->id, worker->answers.at, worker->answers.used};
    lookup->owner->looked(lookup->owner, &looked);
  }
  hanging -= worker->given_up;
  worker->given_up = false;
  worker->lookup = NULL;
  pthread_mutex_unlock(&lock);
  if (worker->answers.used > KEPT_ROOM) madvise(worker->answers.at, VT_ANSWERS, MADV_DONTNEED);
  worker->answers.used = 0;
  free_lookup(lookup);
}

static void wait_for_lookup(struct worker *worker) {
  pthread_mutex_lock(&lock);
  idle++;
  while (!first) pthread_cond_wait(&queued, &lock);
  idle--;
  waiting--;
  worker->lookup = first;
  first = first->next;
  if (!first) last = &first;
  pthread_mutex_unlock(&lock);
}

static void *serve(void *context) {
  struct worker *worker = context;
  for (;;) {
    wait_for_lookup(worker);
    run(worker);
    deliver(worker);
  }
  return NULL;
}

static int prepare(struct worker *worker) {
  const size_t size = VT_ANSWERS + VT_NAMES + STACK;
  if (worker->stack) return 0;
  char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return -1;
  worker->answers = (struct vt_answers){.at = at, .names = at + VT_ANSWERS};
  worker->stack = at + VT_ANSWERS + VT_NAMES;
  return 0;
}

/* Starts another thread if all are busy. Fails only if there is none at all: else the lookup waits. */
static int see_to_threads(void) {
  if (waiting < idle || threads == WORKERS) return 0;
  if (prepare(&workers[threads]) == 0 && vt_thread_try("vitrine-look", serve, &workers[threads]) == 0) {
    threads++;
    return 0;
  }
  return threads ? 0 : errno;
}

int vt_core_look(struct vt_owner *owner, uint32_t id, struct vt_text questions) {
  struct lookup *lookup = malloc(sizeof *lookup);
  if (!lookup) return ENOMEM;
  *lookup = (struct lookup){NULL, owner, id, questions};
  pthread_mutex_lock(&lock);
  int error = hanging == WORKERS ? EBUSY : see_to_threads();
  if (!error) {
    *last = lookup;
    last = &lookup->next;
    waiting++;
    pthread_cond_signal(&queued);
  }
  pthread_mutex_unlock(&lock);
  if (error) free(lookup);
  return error;
}

static void copy_answers(const struct vt_answers *answers, struct vt_looked *looked) {
  looked->length = __atomic_load_n(&answers->used, __ATOMIC_ACQUIRE);
  char *copy = malloc(looked->length + 1);
  looked->answers = copy;
  if (copy) memcpy(copy, answers->at, looked->length);
  else looked->length = 0;
}

/* Kills its child, and counts it as hanging until the child has ended. */
static bool give_up_running(uint32_t id, struct vt_looked *looked) {
  for (struct worker *worker = workers; worker < workers + WORKERS; worker++) {
    if (!worker->lookup || worker->given_up || worker->lookup->id != id) continue;
    __atomic_store_n(&worker->given_up, true, __ATOMIC_RELEASE);
    hanging++;
    pid_t child = __atomic_load_n(&worker->child, __ATOMIC_ACQUIRE); /* the kernel writes it */
    if (child > 0) kill(child, SIGKILL);
    copy_answers(&worker->answers, looked);
    return true;
  }
  return false;
}

static struct lookup *take_queued(uint32_t id) {
  struct lookup **at = &first;
  while (*at && (*at)->id != id) at = &(*at)->next;
  struct lookup *lookup = *at;
  if (!lookup) return NULL;
  *at = lookup->next;
  if (!*at) last = at;
  waiting--;
  return lookup;
}

bool vt_core_give_up_looking(uint32_t id, struct vt_looked *looked) {
  *looked = (struct vt_looked){id, NULL, 0};
  pthread_mutex_lock(&lock);
  struct lookup *lookup = take_queued(id);
  bool found = lookup || give_up_running(id, looked);
  pthread_mutex_unlock(&lock);
  if (lookup) free_lookup(lookup);
  return found;
}
