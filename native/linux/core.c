/* The Linux core: turns a request into a command for supervisor and launcher. */
#define _GNU_SOURCE /* pipe2(2) */
#include "../core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/command.h"
#include "base/files.h"
#include "base/basics.h"
#include "notify/listener.h"
#include "notify/handlers/workspace_ops.h"
#include "supervise/supervise.h"
#include "launch/launch.h"
#include "limits/limits.h"
#include "confine/probe.h"
#include "notify/sockets/whose.h"
#include "watcher/host_side.h"

/* Splits NUL-separated items into a NULL-terminated vector, with room for one more item. */
static char **split(struct vt_text text) {
  size_t count = text.length > 0;
  for (size_t at = 0; at < text.length; at++) count += text.at[at] == 0;
  char **items = vt_must(calloc(count + 2, sizeof *items));
  char *at = text.at;
  for (size_t item = 0; item < count; item++, at += strlen(at) + 1) items[item] = at;
  return items;
}

/* Puts the item first, where a reader of /proc/PID/environ finds it soonest. */
static void prepend(char **items, char *item) {
  size_t count = 0;
  while (items[count]) count++;
  memmove(items + 1, items, count * sizeof *items);
  items[0] = item;
}

/* Returns our end. */
static int open_stdin(struct vt_command *command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  command->stdin_fd = ends[0];
  command->owns_stdin = true;
  return ends[1];
}

/* The launcher's thread uses the caller's descriptor later, when its number may be that of another file. */
static bool keep_stdin(struct vt_command *command) {
  command->stdin_fd = fcntl(command->stdin_fd, F_DUPFD_CLOEXEC, 3);
  command->owns_stdin = true;
  return command->stdin_fd >= 0;
}

/* A file in memory, which the seals keep at its size: the command can fill neither memory nor disk with it, and it has no
 * end to wait for, as a pipe has. Returns our descriptor. */
static int open_state(struct vt_command *command) {
  command->state_fd = vt_above_standard(memfd_create("vitrine-state", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (command->state_fd < 0 || ftruncate(command->state_fd, VT_STATE_BYTES)) return -1;
  if (fcntl(command->state_fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)) return -1;
  return fcntl(command->state_fd, F_DUPFD_CLOEXEC, 3);
}

static struct vt_command *command_of(const struct vt_request *request) {
  struct vt_command *command = vt_must(calloc(1, sizeof *command));
  command->strings = request->candidates.at;
  command->candidates = split(request->candidates);
  command->argv = split(request->argv);
  command->envp = split(request->environment);
  command->cwd = request->directory.at;
  command->merged = request->merged;
  command->tells_start = request->tells_start;
  command->id = request->id;
  command->owner = request->owner;
  command->pidfd = command->listener_fd = command->write_ends[0] = command->write_ends[1] = -1;
  command->stdin_fd = request->stdin_fd;
  command->limits = request->limits;
  command->places = request->places;
  command->network = request->network;
  command->proxy = request->proxy;
  command->world = request->world;
  command->with_listener = request->listener;
  command->asks = request->asks;
  command->abi = request->abi;
  vt_deadline_set(command, request->timeout_ms, request->grace_ms);
  return command;
}

/* Gives an unconfined command its cookie. The launcher builds the confinement of others, which can take long. */
static bool mark(struct vt_command *command) {
  if (command->places) return true;
  if (!vt_watcher_cookie(command->id, command->cookie, sizeof command->cookie)) return false;
  prepend(command->envp, command->cookie);
  return true;
}

/* On the JavaScript thread: the event loop, which is the supervisor's, has nothing of it yet. */
static void discard(struct vt_command *command) {
  if (command->write_ends[VT_STDOUT] >= 0) close(command->write_ends[VT_STDOUT]);
  if (command->state_fd > 0) close(command->state_fd);
  vt_streams_release(command, false);
  vt_command_free(command);
}

static bool is_ready(const struct vt_request *request) {
  return !vt_supervisor_ready() && !vt_launcher_ready() && !vt_monitor_ready(&request->limits);
}

/* Acquires what a launch needs; false with errno and the failed step. */
static bool prepare(struct vt_command *command, const struct vt_request *request, struct vt_started *started) {
  const char **step = &started->failed_step;
  int *owners_end = &started->stdin_fd;
  *step = "native threads";
  if (!is_ready(request)) return false;
  *step = "terminal";
  if (request->columns && (*owners_end = vt_terminal_open(command, request->columns, request->rows)) < 0) return false;
  *step = "watcher";
  if (!mark(command)) return false;
  *step = "state";
  if (request->keeps_state && (started->state_fd = open_state(command)) < 0) return false;
  *step = "pipes";
  if (request->stdin_fd >= 0) return keep_stdin(command);
  return command->stdin_fd != VT_STDIN_PIPE || (*owners_end = open_stdin(command)) >= 0;
}

void vt_core_spawn(const struct vt_request *request, struct vt_started *started) {
  struct vt_command *command = command_of(request);
  *started = (struct vt_started){.stdin_fd = -1, .state_fd = -1};
  if (!prepare(command, request, started)) {
    started->failed_errno = errno;
    if (started->stdin_fd >= 0) close(started->stdin_fd);
    if (started->state_fd >= 0) close(started->state_fd);
    started->stdin_fd = started->state_fd = -1;
    discard(command);
    return;
  }
  started->failed_step = NULL;
  vt_supervisor_add(command);
  vt_launcher_queue(command);
}

int vt_core_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }

bool vt_core_denial(const struct vt_denials *denials, int row, struct vt_refused *refused) {
  if (!denials || row >= denials->count) return false;
  const struct vt_denial *denial = &denials->rows[row];
  bool rest = denial->call == VT_SYSCALL_COUNT;
  *refused = (struct vt_refused){
      .operation = vt_operation_name(denial->operation),
      .call = rest ? "various" : vt_syscall_name(denial->call),
      .program = rest ? "various" : denial->program,
      .text = denial->text,
      .is_path = denial->is_path,
      .is_protected = denial->is_protected,
      .own_sandbox = denial->own_sandbox,
      .pid = denial->pid,
      .count = denial->count,
  };
  return true;
}

void vt_core_free_denials(struct vt_denials *denials) { vt_denials_free(denials); }

bool vt_core_note(const struct vt_notes *notes, int row, struct vt_noticed *noticed) {
  static const char *const kinds[] = {[VT_NOTE_REPOSITORY] = "repository", [VT_NOTE_NAME] = "name", [VT_NOTE_MOVED] = "moved"};
  if (!notes || row >= notes->count) return false;
  const struct vt_note *note = &notes->rows[row];
  *noticed = (struct vt_noticed){kinds[note->kind], note->path, note->before, note->before_length};
  return true;
}

bool vt_core_notes_unseen(const struct vt_notes *notes) { return notes && notes->unseen; }

void vt_core_free_notes(struct vt_notes *notes) { vt_notes_free(notes); }

void vt_core_notice_names(const char *lines) { vt_notice_names(lines); }

void vt_core_probe(const struct vt_facts *facts) {
  const struct vt_probe_result *found = vt_probe();
  facts->number(facts->to, "trialErrno", found->trial_errno);
  facts->number(facts->to, "landlockAbi", found->landlock_abi);
  facts->number(facts->to, "landlockErrno", found->landlock_errno);
  facts->number(facts->to, "landlockErrata", found->landlock_errata);
  facts->flag(facts->to, "seccomp", found->seccomp);
  facts->number(facts->to, "seccompErrno", found->seccomp_errno);
  facts->flag(facts->to, "listener", found->listener);
  facts->number(facts->to, "listenerErrno", found->listener_errno);
  facts->flag(facts->to, "listenerProves", found->listener_proves);
  facts->number(facts->to, "coreDumpsErrno", found->core_dumps_errno);
  facts->flag(facts->to, "pidfd", found->pidfd);
  facts->number(facts->to, "getfdErrno", found->getfd_errno);
  facts->number(facts->to, "socketsErrno", found->getfd_errno ? found->getfd_errno : vt_whose_probe());
  facts->flag(facts->to, "sessions", found->sessions);
  facts->number(facts->to, "yama", found->yama);
  const char *missing = NULL, *base = vt_cgroup_base(&missing);
  facts->text(facts->to, "cgroup", base ? base : "");
  facts->text(facts->to, "cgroupMissing", missing ? missing : "");
}
