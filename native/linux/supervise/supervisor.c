#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/command.h"
#include "base/threads.h"
#include "limits/limits.h"
#include "notify/listener.h"
#include "notify/notifiers.h"
#include "watcher/host_side.h"

static struct vt_command *commands; /* supervisor thread only */

/* A new watcher starts if the old one was killed while commands run. RETRY_MS: no process can be created, or something keeps
 * killing the watcher. */
enum { RETRY_MS = 100 };

static struct vt_source watcher_source = {VT_SOURCE_WATCHER, NULL};
static int watcher = -1; /* a pidfd */
static int64_t next_try;

/* In every round. If the launcher has already started another, only opens a pidfd for it. */
static void look_after_watcher(void) {
  if (watcher >= 0 || !commands || vt_now() < next_try) return;
  next_try = vt_now() + RETRY_MS;
  if (vt_core_watch()) return;
  watcher = vt_watcher_open();
  if (watcher >= 0) vt_event_loop_add(watcher, &watcher_source);
}

static void lose_watcher(void) {
  vt_event_loop_remove(watcher);
  close(watcher);
  watcher = -1;
}

static int watcher_due_in(void) {
  if (watcher >= 0 || !commands) return -1;
  int64_t due = next_try - vt_now();
  return due > 0 ? (int)due : 0;
}

static struct vt_command *find(uint32_t id) {
  for (struct vt_command *command = commands; command; command = command->next)
    if (command->id == id) return command;
  return NULL;
}

static void free_command(struct vt_command *command) {
  struct vt_owner *owner = command->owner;
  vt_command_free(command);
  owner->release(owner);
}

/* The first call, or the hang-up. */
static void heed_listener(struct vt_command *command) {
  struct vt_listener *listener = command->listener;
  vt_event_loop_remove(listener->fd);
  command->empty = (vt_listener_events(listener) & POLLHUP) != 0;
  if (command->empty) return;
  vt_event_loop_add_hang_up(listener->fd, &command->listener_source);
  if (!vt_notifier_start(listener, command->reserves_notifier)) command->killing = true;
  command->reserves_notifier = false;
}

static void ready(struct vt_source *source) {
  struct vt_command *command = source->of;
  switch (source->kind) {
    case VT_SOURCE_WAKE:
      return;
    case VT_SOURCE_LEADER:
      /* Reaped at the very end, so that its number, also the session's and the group's, is not reused. */
      command->leader_ended = true;
      vt_terminal_leader_ended(command);
      vt_event_loop_remove(command->pidfd);
      return;
    case VT_SOURCE_LISTENER:
      heed_listener(command);
      return;
    case VT_SOURCE_PIPE:
      vt_stream_read(source->of);
      return;
    case VT_SOURCE_TYPED:
      vt_terminal_typed(source->of);
      return;
    case VT_SOURCE_ROOM:
      vt_terminal_has_room(source->of);
      return;
    case VT_SOURCE_WATCHER:
      lose_watcher();
      return;
  }
}

/* The launcher may be suspended still while the command runs: a signal waits for its message. */
static void send_signal(struct vt_command *command, int signal) {
  if (command->phase == VT_LAUNCHING) command->early_signals |= UINT64_C(1) << (signal - 1);
  else vt_session_signal(command, signal);
}

static void send_early_signals(const struct vt_command *command) {
  for (uint64_t left = command->early_signals; left; left &= left - 1) vt_session_signal(command, __builtin_ctzll(left) + 1);
}

static void launched(struct vt_command *command) {
  command->phase = VT_RUNNING;
  if (command->failed_step) {
    if (command->reserves_notifier) vt_notifier_return();
    return;
  }
  command->leader_source = (struct vt_source){VT_SOURCE_LEADER, command};
  command->listener_source = (struct vt_source){VT_SOURCE_LISTENER, command};
  vt_event_loop_add(command->pidfd, &command->leader_source);
  for (int kind = 0; kind < VT_MONITORS; kind++) command->meters[kind] = vt_meter_open(command, kind);
  vt_fsize_open(command);
  vt_streams_open(command);
  if (command->terminal) vt_terminal_begin(command);
  if (command->terminal || command->tells_start) command->owner->started(command->owner, command->id);
  if (command->listener_fd >= 0) {
    command->listener = vt_listener_open(command, &command->listener_source);
  }
  vt_deadline_launched(command);
  send_early_signals(command);
}

static void kill_all_of(const struct vt_owner *owner) {
  for (struct vt_command *command = commands; command; command = command->next) {
    if (command->owner != owner) continue;
    command->killing = true;
    vt_streams_consumed(command, command->unconsumed); /* it answers no more */
  }
}

/* Passes on first what the command printed before the question. */
static void ask(struct vt_command *command, const struct vt_message *order) {
  vt_streams_take_rest(command);
  command->owner->asked(command->owner, command->id, order->value, order->text);
}

static void obey_for(struct vt_command *command, const struct vt_message *order) {
  if (order->kind == VT_MESSAGE_KILL) command->killing = true;
  else if (order->kind == VT_MESSAGE_CONSUMED) vt_streams_consumed(command, order->value);
  else if (order->kind == VT_MESSAGE_RESIZE) vt_terminal_resize(command, order->value >> 16, order->value & UINT16_MAX);
  else if (order->kind == VT_MESSAGE_SIGNAL) send_signal(command, (int)order->value);
  else if (order->kind == VT_MESSAGE_ASK) ask(command, order);
  else if (order->kind == VT_MESSAGE_ANSWER && command->listener)
    vt_questions_answer(command->listener->questions, order->value >> 1, order->value & 1);
  else if (order->kind == VT_MESSAGE_TERMINATE) vt_deadline_terminate(command, order->value != 0);
}

static void obey(const struct vt_message *order) {
  if (order->kind == VT_MESSAGE_ADD) {
    order->command->next = commands;
    commands = order->command;
  } else if (order->kind == VT_MESSAGE_RELEASE) {
    vt_listener_release(order->listener);
  } else if (order->kind == VT_MESSAGE_LAUNCHED) {
    launched(order->command);
  } else if (order->kind == VT_MESSAGE_KILL_ALL) {
    kill_all_of(order->owner);
    order->owner->release(order->owner);
  } else {
    struct vt_command *command = find(order->id);
    if (command) obey_for(command, order);
    free(order->text);
  }
}

static void obey_orders(void) {
  for (struct vt_message *order = vt_mailbox_take(), *next; order; order = next) {
    next = order->next;
    obey(order);
    free(order);
  }
}

static void advance_all(void) {
  for (struct vt_command **at = &commands; *at;) {
    struct vt_command *command = *at;
    vt_listener_tell(command);
    if (!vt_lifecycle_advance(command)) {
      at = &command->next;
      continue;
    }
    *at = command->next;
    free_command(command);
  }
}

/* Milliseconds; -1: never. */
static int sooner(int one, int other) { return one < 0 || (other >= 0 && other < one) ? other : one; }

static int next_due(void) {
  int soonest = -1;
  for (const struct vt_command *command = commands; command; command = command->next)
    soonest = sooner(soonest, sooner(vt_deadline_due_in(command), vt_lifecycle_due_in(command)));
  soonest = sooner(soonest, watcher_due_in());
  soonest = sooner(soonest, vt_watches_due_in(commands));
  return sooner(soonest, vt_orphans_due_in(commands));
}

static void *supervise(void *unused) {
  (void)unused;
  for (;;) {
    vt_event_loop_wait(next_due(), ready);
    obey_orders();
    vt_watches_look(commands);
    advance_all();
    look_after_watcher();
    vt_orphans_look(commands);
  }
  return NULL;
}

static int start(void) {
  int wake_fd = vt_mailbox_open();
  if (wake_fd < 0 || vt_event_loop_open(wake_fd) || vt_session_open()) return -1;
  return vt_thread_try("vitrine-super", supervise, NULL);
}

int vt_supervisor_ready(void) {
  static struct vt_once once = VT_ONCE;
  return vt_start_once(&once, start);
}

/* No wake-up: the launcher's message or an order for it follows. */
void vt_supervisor_add(struct vt_command *command) {
  vt_mailbox_post((struct vt_message){.kind = VT_MESSAGE_ADD, .command = command}, false);
}

void vt_supervisor_launched(struct vt_command *command) {
  vt_mailbox_post((struct vt_message){.kind = VT_MESSAGE_LAUNCHED, .command = command}, true);
}

static void post_for(uint32_t id, enum vt_message_kind kind, size_t value) {
  if (vt_supervisor_ready()) return; /* there was no command yet */
  vt_mailbox_post((struct vt_message){.kind = kind, .id = id, .value = value}, true);
}

void vt_core_terminate(uint32_t id, bool at_deadline) { post_for(id, VT_MESSAGE_TERMINATE, at_deadline); }
void vt_core_kill(uint32_t id) { post_for(id, VT_MESSAGE_KILL, 0); }
void vt_core_signal(uint32_t id, int signal) { post_for(id, VT_MESSAGE_SIGNAL, (size_t)signal); }
void vt_core_consumed(uint32_t id, size_t bytes) { post_for(id, VT_MESSAGE_CONSUMED, bytes); }
void vt_core_resize(uint32_t id, uint16_t columns, uint16_t rows) {
  post_for(id, VT_MESSAGE_RESIZE, (size_t)columns << 16 | rows);
}

void vt_core_answer(uint32_t id, size_t number, bool yes) { post_for(id, VT_MESSAGE_ANSWER, number << 1 | yes); }

void vt_core_kill_all_of(struct vt_owner *owner) {
  if (vt_supervisor_ready()) return owner->release(owner); /* there was no command yet */
  vt_mailbox_post((struct vt_message){.kind = VT_MESSAGE_KILL_ALL, .owner = owner}, true);
}
