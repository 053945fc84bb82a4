#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/basics.h"
#include "notify/listener.h"
#include "limits/limits.h"
#include "notify/notifiers.h"
#include "confine/confinement.h"
#include "confine/places/places.h"
#include "watcher/host_side.h"

/* Milliseconds. After the leader's end the drain lasts until SILENCE_MS pass without output, DRAIN_MS at most: a child that holds
 * the pipe must not delay the result. A longer sweep than SWEEP_MS continues after the result. */
enum { SILENCE_MS = 50, DRAIN_MS = 250, SWEEP_MS = 800, CALM_PASSES = 2 };

/* How often to look whether members that were asked to end have done so. */
enum { LOOK_MS = 10 };

/* How often, 1 ms apart, to wait for killed orphans to become zombies. */
enum { MOST_FINISHES = 100 };

/* For the monitor: rather an unnamed limit than a late result. */
enum { SETTLE_MS = 200 };

static void enter(struct vt_command *command, enum vt_phase phase) {
  command->phase = phase;
  command->phase_entered = command->phase_since = command->last_byte = vt_now();
}

/* A hang-up proves that no process is left under the filter, and all denials are counted. */
static bool is_empty(struct vt_command *command) {
  if (command->empty || !command->listener) return command->empty;
  command->empty = (vt_listener_events(command->listener) & POLLHUP) != 0;
  return command->empty;
}

static bool is_quiet(const struct vt_command *command) {
  if (vt_streams_ended(command)) return true;
  if (vt_streams_paused(command)) return false;
  int64_t now = vt_now();
  return now - command->last_byte >= SILENCE_MS || now - command->phase_since >= DRAIN_MS;
}

/* While the output is paused, `phase_since` does not advance: a survivor that writes on would keep the drain from ending. */
static bool is_flooded(struct vt_command *command) {
  if (!vt_streams_paused(command) || vt_now() - command->phase_entered < DRAIN_MS) return false;
  return command->confinement || vt_session_count(command) > 0;
}

static void reap(struct vt_command *command, struct vt_end *end) {
  siginfo_t info = {.si_code = 0};
  /* The wait frees the session's number for reuse, so the watcher must forget it first. */
  if (command->slot) vt_watcher_free_slot(command->slot);
  command->slot = NULL;
  while (waitid(P_PID, (id_t)command->pid, &info, WEXITED) != 0) {
    if (errno == EINTR) continue;
    /* The host reaped the child itself: its status is lost. */
    end->failed_step = "wait";
    end->failed_errno = errno;
    return;
  }
  if (info.si_code == CLD_EXITED) end->code = info.si_status;
  else end->signal = info.si_status;
}

/* The first cause wins: a command that is ending already is not called limited, but killed at once. */
static void heed_limits(struct vt_command *command) {
  for (int kind = 0; kind < VT_MONITORS; kind++) {
    const char *limit = command->meters[kind] ? vt_meter_exceeded(command->meters[kind]) : NULL;
    if (!limit) continue;
    if (!command->terminated && !command->killing) command->limited = limit;
    command->killing = true;
  }
}

static bool has_settled(struct vt_command *command) {
  bool all = true, alone = command->confinement && command->confinement->listener_proves && is_empty(command);
  for (int kind = 0; kind < VT_MONITORS; kind++) all &= !command->meters[kind] || vt_meter_settle(command->meters[kind], alone);
  command->settled = all || vt_now() - command->phase_entered > SETTLE_MS;
  if (all) heed_limits(command);
  return command->settled;
}

static void close_meters(struct vt_command *command) {
  for (int kind = 0; kind < VT_MONITORS; kind++) {
    if (command->meters[kind]) vt_meter_close(command->meters[kind]);
    command->meters[kind] = NULL;
  }
}

static void close_descriptors(struct vt_command *command) {
  if (command->reserves_notifier) vt_notifier_return();
  if (command->listener) vt_listener_close(command->listener);
  if (command->pidfd >= 0) {
    vt_event_loop_remove(command->pidfd);
    close(command->pidfd);
  }
  vt_fsize_close(command);
  command->listener = NULL;
  command->pidfd = -1;
}

static void drop_reports(const struct vt_end *end) {
  vt_denials_free(end->denials);
  vt_notes_free(end->notes);
  free(end->open_ports);
}

static void report(struct vt_command *command, const struct vt_end *end) {
  if (command->reported) return drop_reports(end); /* what comes after the report is dropped */
  command->reported = true;
  struct vt_end told = *end;
  told.timed_out = command->timed_out;
  told.unsearched = command->confinement && command->confinement->reads && command->confinement->reads->unsearched;
  command->owner->end(command->owner, command->id, &told);
}

/* Unconfined children may live on; a signal to the group first is a cheap test whether there are any. */
static int count_background(struct vt_command *command) {
  if (command->confinement || kill(-command->pid, 0) != 0) return 0;
  return vt_session_count_group(command);
}

/* A killed process becomes a zombie shortly after its listener hangs up. False: more may follow. */
static bool are_reaped(struct vt_command *command) {
  if (!vt_orphans_expected()) return true;
  bool waits = vt_orphans_reap(command) > 0 && command->confinement && command->finishing++ < MOST_FINISHES;
  if (!waits) vt_orphans_adopt(command);
  return !waits;
}

static bool finish(struct vt_command *command) {
  if (!are_reaped(command)) return false;
  struct vt_end end = {.group = command->pid, .killed = command->killed, .limited = command->limited};
  close_meters(command);
  if (!command->terminated && !command->killing && vt_fsize_met(command)) end.limited = "private_tmp";
  reap(command, &end);
  if (command->cgroup[0]) vt_cgroup_remove(command->cgroup);
  end.alive = count_background(command);
  if (!command->confinement && !command->killing && !command->terminated) vt_session_find_left(command, end.left, VT_LEFT);
  vt_streams_take_rest(command);
  vt_streams_release(command, !command->confinement && !command->killing);
  if (command->listener) vt_listener_take(command->listener, &end);
  report(command, &end);
  close_descriptors(command); /* after the report: closing the listener can take longer than starting the next command */
  command->phase = VT_ENDED;
  return true;
}

static bool fail(struct vt_command *command) {
  struct vt_end end = {.failed_step = command->failed_step, .failed_errno = command->failed_errno};
  if (command->cgroup[0]) vt_cgroup_remove(command->cgroup);
  if (command->slot) vt_watcher_free_slot(command->slot);
  vt_streams_release(command, false);
  report(command, &end);
  command->phase = VT_ENDED;
  return true;
}

/* Whether only the ended leader is left: by the listener, else by closed streams and a search of processes. */
static bool is_alone(struct vt_command *command) {
  if (command->confinement && command->confinement->listener_proves) return is_empty(command);
  return vt_streams_ended(command) && vt_session_count(command) == 0;
}

/* A program that is asked to end removes its lock files (git: index.lock, gc.pid); one that is killed leaves them to the next. */
static void linger(struct vt_command *command) {
  enter(command, VT_LINGERING);
  command->grace_ends = vt_now() + command->grace_ms;
  if (vt_session_count_ended(command) > 0) vt_session_ask(command);
}

static bool has_lingered(struct vt_command *command) {
  if (command->killing || vt_now() >= command->grace_ends) return true;
  return command->confinement->listener_proves ? is_empty(command) : vt_session_count(command) == 0;
}

/* Survivors may finish their output, then they are ended; unconfined ones may live on. */
static bool drain(struct vt_command *command) {
  if (!command->settled && !has_settled(command)) return false;
  if (command->killing) {
    enter(command, VT_SWEEPING);
    return false;
  }
  if (is_empty(command)) return is_quiet(command) && finish(command);
  /* During the grace the members end by themselves, or are killed when it is over. */
  if (command->terminated) return is_alone(command) && is_quiet(command) && finish(command);
  if (!is_quiet(command) && !is_flooded(command)) return false;
  if (!command->confinement) return finish(command);
  linger(command);
  return false;
}

/* Reports before the sweep is over, so that no run outlasts its deadline; the sweep goes on. What the kernel has not ended yet
 * (uninterruptible sleep, proc_pid_stat(5)), the leader too, is alive. */
static void report_late(struct vt_command *command) {
  if (command->reported) return;
  struct vt_end end = {.group = command->pid, .signal = SIGKILL, .limited = command->limited};
  int others = vt_session_count(command);
  end.alive = others + !command->leader_ended;
  end.killed = command->killed > others ? command->killed - others : 0;
  vt_streams_release(command, false);
  if (command->listener) vt_listener_take(command->listener, &end);
  report(command, &end);
}

/* A process that keeps forking and exiting can slip through a pass, but not past the listener. */
static bool sweep(struct vt_command *command) {
  bool proves = command->confinement && command->confinement->listener_proves;
  command->misses = vt_session_sweep(command) ? 0 : command->misses + 1;
  if (command->leader_ended && (proves ? is_empty(command) : command->misses >= CALM_PASSES)) {
    enter(command, VT_ENDING);
    return true;
  }
  if (vt_now() - command->phase_since > SWEEP_MS) report_late(command);
  return false;
}

static bool advance_once(struct vt_command *command) {
  switch (command->phase) {
    case VT_LAUNCHING:
      return false;
    case VT_RUNNING:
      if (command->leader_ended) enter(command, VT_DRAINING);
      else if (command->killing) enter(command, VT_SWEEPING);
      return command->phase != VT_RUNNING;
    case VT_DRAINING:
      return drain(command) || command->phase != VT_DRAINING;
    case VT_LINGERING:
      if (!has_lingered(command)) return false;
      enter(command, VT_SWEEPING);
      return true;
    case VT_SWEEPING:
      return sweep(command);
    case VT_ENDING:
      return is_quiet(command) && finish(command);
    case VT_ENDED:
      return false;
  }
  return false;
}

bool vt_lifecycle_advance(struct vt_command *command) {
  if (command->phase == VT_ENDED) return true;
  if (command->phase == VT_RUNNING && command->failed_step) return fail(command);
  heed_limits(command);
  vt_deadline_apply(command);
  while (advance_once(command)) continue;
  return command->phase == VT_ENDED;
}

/* While the owner holds the output back, only is_flooded() needs the clock. */
static int flood_due_in(const struct vt_command *command) {
  if (command->phase != VT_DRAINING || command->empty) return -1;
  int64_t due = command->phase_entered + DRAIN_MS - vt_now();
  return due > 0 ? (int)due : SILENCE_MS;
}

/* Without a listener only a search tells that all have ended. */
static int linger_due_in(const struct vt_command *command) {
  int64_t due = command->grace_ends - vt_now();
  int64_t most = command->confinement->listener_proves ? INT_MAX : LOOK_MS;
  return due > most ? (int)most : due > 0 ? (int)due : 0;
}

int vt_lifecycle_due_in(const struct vt_command *command) {
  if (command->finishing) return 1;
  if (command->phase == VT_LINGERING) return linger_due_in(command);
  if (command->phase == VT_SWEEPING) return command->misses ? 1 : 0;
  if (command->phase != VT_DRAINING && command->phase != VT_ENDING) return -1;
  if (command->phase == VT_DRAINING && !command->settled) return SETTLE_MS;
  if (vt_streams_paused(command)) return flood_due_in(command);
  if (command->terminated && command->phase == VT_DRAINING) return LOOK_MS;
  int64_t now = vt_now(), silence = command->last_byte + SILENCE_MS, limit = command->phase_since + DRAIN_MS;
  int64_t due = (silence < limit ? silence : limit) - now;
  return due > 0 ? (int)due : 0;
}
