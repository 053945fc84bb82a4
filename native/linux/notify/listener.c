#define _GNU_SOURCE
#include "notify/listener.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/command.h"
#include "base/files.h"
#include "base/procfs.h"
#include "confine/confine.h"
#include "confine/confinement.h"
#include "notify/world/world.h"
#include "supervise/supervise.h"

/* linux/seccomp.h, 6.6: wakes the notifier on the caller's processor, 4 us a call instead of 30. May fail on older kernels. */
#define NOTIF_SET_FLAGS _IOW('!', 4, uint64_t)
enum { SYNC_WAKE_UP = 1 };

static char **services_of(const struct vt_command *command) {
  const char **services = vt_places_of(command->places, VT_SERVICE);
  char **copy = vt_must(vt_paths_copy(services));
  free(services);
  return copy;
}

struct vt_listener *vt_listener_open(const struct vt_command *command, struct vt_source *source) {
  struct vt_listener *listener = vt_must(calloc(1, sizeof *listener));
  listener->references = 1;
  listener->fd = command->listener_fd;
  listener->session = command->pid;
  listener->mark = command->mark;
  listener->proxy = command->proxy;
  listener->network = command->network;
  if (command->world) listener->world = vt_world_enter(command->world);
  if (command->world && command->proxy.port) listener->services = services_of(command);
  listener->most_file_bytes = vt_fsize_most(command);
  listener->confinement = command->confinement;
  listener->umask = command->umask;
  if (command->asks) listener->questions = vt_questions_open(command->id);
  pthread_mutex_init(&listener->lock, NULL);
  vt_confinement_retain(listener->confinement);
  ioctl(listener->fd, NOTIF_SET_FLAGS, (unsigned long)SYNC_WAKE_UP);
  vt_event_loop_add(listener->fd, source);
  return listener;
}

int vt_listener_events(const struct vt_listener *listener) {
  struct pollfd polled = {listener->fd, POLLIN, 0};
  return poll(&polled, 1, 0) > 0 ? polled.revents : 0;
}

void vt_listener_close(struct vt_listener *listener) {
  pthread_mutex_lock(&listener->lock);
  listener->closed = true;
  vt_event_loop_remove(listener->fd);
  pthread_mutex_unlock(&listener->lock);
  vt_listener_release(listener);
}

bool vt_listener_is_closed(struct vt_listener *listener) {
  pthread_mutex_lock(&listener->lock);
  bool closed = listener->closed;
  pthread_mutex_unlock(&listener->lock);
  return closed;
}

void vt_listener_retain(struct vt_listener *listener) { __atomic_add_fetch(&listener->references, 1, __ATOMIC_RELAXED); }

void vt_listener_release(struct vt_listener *listener) {
  if (__atomic_sub_fetch(&listener->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  close(listener->fd);
  vt_confinement_release(listener->confinement);
  vt_denials_free(listener->denials);
  free(listener->open_ports);
  free(listener->services);
  vt_notes_free(listener->notes);
  vt_questions_free(listener->questions);
  if (listener->world) vt_world_leave(listener->world);
  pthread_mutex_destroy(&listener->lock);
  free(listener);
}

void vt_listener_count(struct vt_listener *listener, const struct vt_denial *refused) {
  pthread_mutex_lock(&listener->lock);
  if (!listener->denials) listener->denials = vt_must(calloc(1, sizeof *listener->denials));
  if (!listener->closed) vt_denials_count(listener->denials, refused);
  pthread_mutex_unlock(&listener->lock);
}

void vt_listener_take(struct vt_listener *listener, struct vt_end *end) {
  pthread_mutex_lock(&listener->lock);
  end->denials = listener->denials;
  end->open_ports = listener->open_ports;
  end->notes = listener->notes;
  listener->denials = NULL;
  listener->open_ports = NULL;
  listener->notes = NULL;
  pthread_mutex_unlock(&listener->lock);
}

enum { MEBIBYTE = 1024 * 1024 };

uint64_t vt_fsize_most(const struct vt_command *command) {
  bool writes = command->writable && command->writable[0];
  return writes && command->limits.private_tmp_bytes ? command->limits.private_tmp_bytes + MEBIBYTE : 0;
}

int vt_fsize_truncate(pid_t thread, int fd, off_t length) {
  struct rlimit most;
  struct stat status;
  if (fstat(fd, &status) || prlimit(thread, RLIMIT_FSIZE, NULL, &most)) return -1;
  if (length <= status.st_size || (rlim_t)length <= most.rlim_cur) return ftruncate(fd, length);
  errno = EFBIG;
  return -1;
}

static bool is_set(const bool *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }

/* Opened while the process lives: a zombie's file belongs to root (proc(5)). */
void vt_fsize_open(struct vt_command *command) {
  command->io = vt_fsize_most(command) ? vt_procfs_file(command->pid, "io") : -1;
}

void vt_fsize_close(struct vt_command *command) {
  if (command->io >= 0) close(command->io);
  command->io = -1;
}

/* Whether the leader and the children it waited for wrote so much (proc_pid_io(5)). The file itself may be gone. */
static bool has_written(const struct vt_command *command, uint64_t bytes) {
  char text[512];
  ssize_t length = command->io < 0 ? -1 : pread(command->io, text, sizeof text - 1, 0);
  text[length < 0 ? 0 : length] = 0;
  return vt_number_after(text, "wchar:") >= bytes;
}

/* Exit code 128 + SIGXFSZ proves nothing alone: a program may choose it. The limit is met only if that much was written or
 * asked for, and the command set no limit of its own (ulimit -f). */
bool vt_fsize_met(const struct vt_command *command) {
  siginfo_t end = {.si_code = 0};
  if (!vt_fsize_most(command) || (command->listener && is_set(&command->listener->limits_files))) return false;
  if (waitid(P_PID, (id_t)command->pid, &end, WEXITED | WNOHANG | WNOWAIT)) return false;
  if (end.si_code != CLD_EXITED) return end.si_status == SIGXFSZ;
  if (end.si_status != 128 + SIGXFSZ) return false;
  return (command->listener && is_set(&command->listener->asks_too_much)) || has_written(command, command->limits.private_tmp_bytes);
}
