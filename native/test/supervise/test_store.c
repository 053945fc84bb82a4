/* A thread that writes a command's output to a file, under the sanitizers: order, ends, limit, errors, and who gets the pipes back. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervise/deadline.h"
#include "supervise/store.h"
#include "test/check.h"
#include "test/commands.h"

enum { KEEP = 1000 };

static int file = -1;
static uint64_t until;
static struct vt_stored *stored;
static char gate[] = "/tmp/vitrine-test-XXXXXX"; /* the command waits for its end */
static enum { ANSWERS, CONSUMES_NOTHING, HOLDS_ON } manner; /* of the owner */
static int heard_of;                                        /* bytes of an owner that consumes nothing, and holds */
static void (*pass_on)(struct vt_owner *owner, uint32_t id, int stream, const char *bytes, size_t length);

#define HOLDS(condition) CHECK(condition, "%s", #condition)

/* These are called on the supervisor's thread, before the end. */
static void on_output(struct vt_owner *owner, uint32_t id, int stream, const char *bytes, size_t length) {
  if (manner == CONSUMES_NOTHING) {
    __atomic_fetch_add(&heard_of, (int)length, __ATOMIC_RELAXED);
    return;
  }
  pass_on(owner, id, stream, bytes, length);
  if (access(gate, F_OK) == 0) vt_core_hold(id);
}

static void on_held(struct vt_owner *owner, uint32_t id) {
  (void)owner;
  if (manner == HOLDS_ON) __atomic_fetch_add(&heard_of, 1, __ATOMIC_RELAXED);
  else vt_core_store(id, file, KEEP, until);
  unlink(gate);
}

static void on_stored(struct vt_owner *owner, uint32_t id, struct vt_stored *result) {
  (void)owner, (void)id;
  stored = result;
}

/* Runs the line, and hands its output over before it begins; the owner gets one byte. */
static struct heard *run_stored(const char *line, uint64_t limit, uint32_t timeout_ms) {
  char gated[1000];
  close(open(gate, O_CREAT | O_CLOEXEC, 0600));
  snprintf(gated, sizeof gated, "echo; while [ -e %s ]; do sleep 0.01; done; %s", gate, line);
  until = limit;
  struct vt_command *command = make_command("/bin/sh", gated, "/");
  uint32_t id = command->id;
  if (timeout_ms) vt_deadline_set(command, timeout_ms, 0);
  start_command(command);
  struct heard *of = wait_for(id);
  of->bytes[VT_STDOUT]--;
  return of;
}

static off_t written(void) {
  struct stat found;
  return fstat(file, &found) ? -1 : found.st_size;
}

static void forget(void) {
  if (stored) vt_core_free_stored(stored);
  stored = NULL;
  if (ftruncate(file, 0) == 0) lseek(file, 0, SEEK_SET);
}

static void stores_every_byte_and_keeps_both_ends(void) {
  struct heard *of = run_stored("seq 3000000; echo last >&2", 0, 0);
  HOLDS(of->end.code == 0 && stored && stored->failed_errno == 0);
  const struct vt_kept *out = &stored->kept[VT_STDOUT], *errors = &stored->kept[VT_STDERR], *both = &stored->kept[VT_KEPT_BOTH];
  HOLDS(out->bytes == 22888896 && errors->bytes == 5 && both->bytes == out->bytes + 5 && written() == (off_t)both->bytes);
  HOLDS(out->head_length == KEEP && out->tail_length == KEEP && errors->head_length == 5 && errors->tail_length == 0);
  HOLDS(memcmp(out->head, "1\n2\n3\n", 6) == 0 && memcmp(out->tail + KEEP - 8, "3000000\n", 8) == 0);
  HOLDS(memcmp(errors->head, "last\n", 5) == 0 && both->tail_length == KEEP);
  HOLDS(of->bytes[VT_STDOUT] == 0 && of->bytes[VT_STDERR] == 0);
  forget();
}

/* Small pieces, so that the tail moves often. */
static void keeps_the_end_of_small_pieces(void) {
  run_stored("i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done", 0, 0);
  char tail[KEEP + 1] = "";
  HOLDS(pread(file, tail, KEEP, written() - KEEP) == KEEP && stored->kept[VT_STDOUT].tail_length == KEEP);
  HOLDS(memcmp(stored->kept[VT_STDOUT].tail, tail, KEEP) == 0);
  forget();
}

static void gives_the_pipes_back_at_the_limit(void) {
  struct heard *of = run_stored("head -c 5000000 /dev/zero", 1000000, 0);
  uint64_t bytes = stored->kept[VT_KEPT_BOTH].bytes;
  HOLDS(bytes >= 1000000 && bytes < 1000000 + 256 * 1024 && (off_t)bytes == written());
  HOLDS(bytes + of->bytes[VT_STDOUT] == 5000000 && of->end.code == 0);
  forget();
}

/* /dev/full (full(4)) is a disk without room. */
static void returns_what_was_not_written(void) {
  int disk = file;
  file = open("/dev/full", O_WRONLY | O_CLOEXEC);
  struct heard *of = run_stored("head -c 5000000 /dev/zero", 0, 0);
  HOLDS(stored->failed_errno == ENOSPC && stored->rest_length > 0 && stored->kept[VT_KEPT_BOTH].bytes == 0);
  HOLDS(stored->rest_length + of->bytes[VT_STDOUT] == 5000000);
  close(file);
  file = disk;
  forget();
}

static void leaves_the_output_to_the_owner_without_a_file(void) {
  int disk = file;
  file = -1;
  struct heard *of = run_stored("head -c 5000000 /dev/zero", 0, 0);
  HOLDS(!stored && of->bytes[VT_STDOUT] == 5000000);
  file = disk;
}

static void ends_at_the_deadline(void) {
  struct heard *of = run_stored("yes", 0, 500);
  HOLDS(of->end.timed_out && stored && stored->kept[VT_STDOUT].bytes + of->bytes[VT_STDOUT] > 0);
  HOLDS(written() == (off_t)stored->kept[VT_STDOUT].bytes);
  forget();
}

/* Unconfined survivors live on; what they write after the end is not stored. */
static void does_not_wait_for_survivors(const char *survivor) {
  struct heard *of = run_stored(survivor, 0, 30000);
  HOLDS(!of->end.timed_out && of->end.code == 0 && of->end.alive >= 1 && stored);
  off_t size = written();
  usleep(50000);
  HOLDS(size == written() && size == (off_t)stored->kept[VT_STDOUT].bytes);
  kill(-of->end.group, SIGKILL);
  forget();
}

/* As the environment of a worker that ends: its output waits, or is held, and it answers no more. */
static void ends_with_an_owner_that_went_away(int how, int most) {
  manner = how;
  heard_of = 0;
  if (how == HOLDS_ON) close(open(gate, O_CREAT | O_CLOEXEC, 0600));
  uint32_t id = start_command(make_command("/bin/sh", "yes & yes", "/"));
  while (__atomic_load_n(&heard_of, __ATOMIC_RELAXED) < most) usleep(1000);
  vt_core_kill_all_of(&test_owner);
  HOLDS(wait_for(id)->end.signal == SIGKILL);
  unlink(gate);
  manner = ANSWERS;
}

int main(void) {
  FILE *temporary = tmpfile();
  file = fileno(temporary);
  close(mkstemp(gate));
  pass_on = test_owner.output;
  test_owner.output = on_output;
  test_owner.held = on_held;
  test_owner.stored = on_stored;
  stores_every_byte_and_keeps_both_ends();
  keeps_the_end_of_small_pieces();
  gives_the_pipes_back_at_the_limit();
  returns_what_was_not_written();
  leaves_the_output_to_the_owner_without_a_file();
  ends_at_the_deadline();
  does_not_wait_for_survivors("echo out; sleep 100 &");
  does_not_wait_for_survivors("yes & sleep 0.2");
  ends_with_an_owner_that_went_away(CONSUMES_NOTHING, 1048577);
  ends_with_an_owner_that_went_away(HOLDS_ON, 1);
  fclose(temporary);
  return finish("a thread stores the output of commands");
}
