/* Runs real commands through launcher, supervisor and watcher, under the sanitizers: what they report, and that all ends. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/basics.h"
#include "supervise/supervise.h"
#include "confine/probe.h"
#include "test/check.h"
#include "test/commands.h"

static uint32_t last_id;

#define HOLDS(condition) CHECK(condition, "at command %u", last_id)

static struct vt_command *make(const char *program, const char *line, const char *cwd, bool confined) {
  struct vt_command *command = make_command(program, line, cwd);
  last_id = command->id;
  if (confined) confine_command(command, NULL);
  return command;
}

static uint32_t start_program(const char *program, const char *line, const char *cwd, bool confined) {
  return start_command(make(program, line, cwd, confined));
}

static uint32_t start_until(uint32_t timeout_ms, uint32_t grace_ms, const char *line, bool confined) {
  struct vt_command *command = make("/bin/sh", line, "/", confined);
  vt_deadline_set(command, timeout_ms, grace_ms);
  return start_command(command);
}

static uint32_t start(const char *line, bool confined) { return start_program("/bin/sh", line, "/", confined); }

static void reports_output_and_code(bool confined) {
  struct heard *of = wait_for(start("echo out; echo err >&2; exit 3", confined));
  HOLDS(of->end.code == 3 && of->end.signal == 0 && !of->end.failed_step);
  HOLDS(strcmp(of->text[VT_STDOUT], "out\n") == 0 && strcmp(of->text[VT_STDERR], "err\n") == 0);
}

static void reports_the_failed_step(bool confined) {
  struct heard *of = wait_for(start_program("/proc/none", ":", "/", confined));
  HOLDS(is_step(of->end.failed_step, "exec") && of->end.failed_errno == 2);
  of = wait_for(start_program("/bin/sh", ":", "/proc/none", confined));
  HOLDS(is_step(of->end.failed_step, "chdir") && of->end.failed_errno == 2);
}

static void hands_out_every_byte(bool confined) {
  struct heard *of = wait_for(start("head -c 20000000 /dev/zero", confined));
  HOLDS(of->bytes[VT_STDOUT] == 20000000);
}

static void ends_what_ignores_term(bool confined) {
  uint32_t id = start("trap '' TERM; sleep 100 & while :; do sleep 1; done", confined);
  vt_core_terminate(id, false);
  vt_core_kill(id);
  HOLDS(wait_for(id)->end.signal == SIGKILL || wait_for(id)->end.signal == SIGTERM);
}

/* Without an order: the supervisor keeps the deadline and the grace. */
static void keeps_deadlines(bool confined) {
  const char *polite = "trap 'echo asked; exit 4' TERM; while :; do sleep 0.02; done";
  const char *deaf = "trap 'echo asked' TERM; while :; do sleep 0.02; done";
  int64_t begun = vt_now();
  struct heard *of = wait_for(start_until(1000, 30000, polite, confined));
  HOLDS(of->end.timed_out && of->end.code == 4 && strcmp(of->text[VT_STDOUT], "asked\n") == 0);
  HOLDS(vt_now() - begun >= 1000);
  begun = vt_now();
  of = wait_for(start_until(1000, 200, deaf, confined));
  HOLDS(of->end.timed_out && of->end.signal == SIGKILL && strcmp(of->text[VT_STDOUT], "asked\n") == 0);
  HOLDS(vt_now() - begun >= 1200);
  of = wait_for(start_until(30000, 0, "exit 3", confined));
  HOLDS(!of->end.timed_out && of->end.code == 3);
}

/* The supervisor also keeps the grace of an order. An order's end is no timeout; the end by the owner's clock is one. */
static void keeps_the_grace_of_orders(bool confined) {
  const char *deaf = "trap '' TERM; while :; do sleep 0.02; done";
  uint32_t ended = start_until(30000, 100, deaf, confined), late = start_until(30000, 100, deaf, confined);
  vt_core_terminate(ended, false);
  vt_core_terminate(ended, true);
  vt_core_terminate(late, true);
  HOLDS(wait_for(ended)->end.signal != 0 && !wait_for(ended)->end.timed_out);
  HOLDS(wait_for(late)->end.signal != 0 && wait_for(late)->end.timed_out);
}

static void sweeps_survivors(void) {
  struct heard *of = wait_for(start("sleep 100 >/dev/null 2>&1 & setsid sleep 100 >/dev/null 2>&1 & :", true));
  HOLDS(of->end.code == 0 && of->end.killed >= 1 && of->end.alive == 0);
}

static void runs_many_at_once(bool confined) {
  uint32_t ids[50];
  for (int at = 0; at < 50; at++) ids[at] = start("echo many", confined);
  for (int at = 0; at < 50; at++) HOLDS(strcmp(wait_for(ids[at])->text[VT_STDOUT], "many\n") == 0);
}

static void kills_all_of_an_owner(void) {
  uint32_t first = start("sleep 100", true), second = start("sleep 100", false);
  vt_core_kill_all_of(&test_owner);
  HOLDS(wait_for(first)->end.signal == SIGKILL);
  HOLDS(wait_for(second)->end.signal == SIGKILL);
}

int main(void) {
  bool confinable = vt_probe()->landlock_abi > 0 && vt_probe()->seccomp;
  if (!confinable) printf("no Landlock or no seccomp here: only unconfined commands are run\n");
  for (int confined = 0; confined <= (int)confinable; confined++) {
    reports_output_and_code(confined);
    reports_the_failed_step(confined);
    hands_out_every_byte(confined);
    ends_what_ignores_term(confined);
    keeps_deadlines(confined);
    keeps_the_grace_of_orders(confined);
    runs_many_at_once(confined);
  }
  if (confinable) sweeps_survivors();
  if (confinable) kills_all_of_an_owner();
  if (confinable) wait_for_releases(last_id + 1); /* by each command, and by the order to kill all */
  return finish("commands run, are reported and end");
}
