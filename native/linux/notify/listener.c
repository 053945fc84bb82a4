#define _GNU_SOURCE
#include "notify/listener.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

const char *vt_operation_name(enum vt_operation operation) {
#define NAME(name, text) [VT_OP_##name] = text,
  static const char *const names[] = {VT_OPERATIONS(NAME)};
  return names[operation];
}

static bool is_same(const struct vt_denial *row, const struct vt_denial *refused) {
  if (row->operation != refused->operation || row->call != refused->call) return false;
  if (strcmp(row->program, refused->program)) return false;
  if (!row->text || !refused->text) return row->text == refused->text;
  return strcmp(row->text, refused->text) == 0;
}

static struct vt_denial *find(struct vt_denials *denials, const struct vt_denial *refused) {
  for (int at = 0; at < denials->count; at++)
    if (is_same(&denials->rows[at], refused)) return &denials->rows[at];
  return NULL;
}

/* Adds a row. Without room for it, or memory for its text, returns the row for the rest. */
static struct vt_denial *add(struct vt_denials *denials, const struct vt_denial *refused) {
  static const struct vt_denial rest = {.operation = VT_OP_OTHER, .call = VT_SYSCALL_COUNT};
  char *text = NULL;
  bool fits = denials->count < VT_DENIALS_MAX && (!refused->text || (text = strdup(refused->text)));
  if (!fits) {
    struct vt_denial *others = find(denials, &rest);
    if (others) return others;
    refused = &rest;
  }
  struct vt_denial *row = &denials->rows[denials->count++];
  *row = *refused;
  row->text = text;
  row->count = 0;
  return row;
}

void vt_denials_count(struct vt_denials *denials, const struct vt_denial *refused) {
  struct vt_denial *row = find(denials, refused);
  if (!row) row = add(denials, refused);
  row->count++;
}

void vt_denials_free(struct vt_denials *denials) {
  if (!denials) return;
  for (int at = 0; at < denials->count; at++) free(denials->rows[at].text);
  free(denials);
}

bool vt_notes_have(const struct vt_notes *notes, enum vt_note_kind kind, const char *path) {
  for (int at = 0; at < notes->count; at++)
    if (notes->rows[at].kind == kind && strcmp(notes->rows[at].path, path) == 0) return true;
  return false;
}

void vt_notes_add(struct vt_notes *notes, enum vt_note_kind kind, const char *path, char *before, size_t before_length) {
  bool listed = vt_notes_have(notes, kind, path);
  char *copy = listed || notes->count == VT_NOTES_MAX ? NULL : strdup(path);
  if (!copy) {
    if (!listed) notes->unseen = true;
    return free(before);
  }
  notes->rows[notes->count++] = (struct vt_note){kind, copy, before, before_length};
}

void vt_notes_follow(struct vt_notes *notes, const char *old, const char *new) {
  char path[PATH_MAX];
  int count = notes->count;
  for (int at = 0; at < count; at++) {
    const char *rest = vt_path_beneath(notes->rows[at].path, old);
    if (!rest) continue;
    if (snprintf(path, sizeof path, "%s%s", new, rest) < (int)sizeof path) vt_notes_add(notes, notes->rows[at].kind, path, NULL, 0);
    else notes->unseen = true;
  }
}

void vt_notes_free(struct vt_notes *notes) {
  if (!notes) return;
  for (int at = 0; at < notes->count; at++) {
    free(notes->rows[at].path);
    free(notes->rows[at].before);
  }
  free(notes);
}

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

void vt_listener_tell(const struct vt_command *command) {
  struct vt_listener *listener = command->listener;
  if (!listener || !__atomic_load_n(&listener->untold, __ATOMIC_ACQUIRE)) return;
  pthread_mutex_lock(&listener->lock);
  listener->untold = false;
  struct vt_open_port *ports = listener->open_ports;
  for (; ports && ports[listener->told].port; listener->told++)
    if (command->owner->listening) command->owner->listening(command->owner, command->id, &ports[listener->told]);
  pthread_mutex_unlock(&listener->lock);
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

/* Exit code 128 + SIGXFSZ proves nothing alone: a program may choose it. The limit is met only if that much was written, and the
 * command set no limit of its own (ulimit -f). */
bool vt_fsize_met(const struct vt_command *command) {
  siginfo_t end = {.si_code = 0};
  if (!vt_fsize_most(command) || (command->listener && __atomic_load_n(&command->listener->limits_files, __ATOMIC_RELAXED))) return false;
  if (waitid(P_PID, (id_t)command->pid, &end, WEXITED | WNOHANG | WNOWAIT)) return false;
  if (end.si_code != CLD_EXITED) return end.si_status == SIGXFSZ;
  return end.si_status == 128 + SIGXFSZ && has_written(command, command->limits.private_tmp_bytes);
}
