/* Proves that a process has its mark before it is in a Landlock domain of its own, that others have none, and that each filter gets
 * the kernel's answer, but for one that could refuse by SECCOMP_RET_TRACE. The command is this program again. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kernel.h"
#include "confine/ruleset.h"
#include "confine/probe.h"
#include "notify/listener.h"
#include "test/check.h"
#include "test/commands.h"

#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))

static struct sock_filter allows[] = {RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter traces[] = {RETURN(SECCOMP_RET_TRACE | 5)};
static struct sock_filter traces_some[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 9999, 0, 1),
                                           RETURN(SECCOMP_RET_TRACE), RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter computes[] = {BPF_STMT(BPF_LD | BPF_IMM, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_A, 0)};
static struct sock_filter long_one[BPF_MAXINSNS + 1];

static const struct filter {
  struct sock_fprog program;
  int error;
} filters[] = {
    {{1, allows}, 0},          {{1, traces}, EINVAL},        {{4, traces_some}, EINVAL},
    {{2, computes}, EINVAL},   {{0, allows}, EINVAL},        {{BPF_MAXINSNS + 1, long_one}, EINVAL},
    {{1, NULL}, EINVAL},       {{4096, (struct sock_filter *)8}, EFAULT},
};

enum { REFUSED_BY_US = 2 * 3 }; /* by either call */

static int error_of(long result) { return result < 0 ? errno : 0; }

static int answer(const struct sock_fprog *program, bool by_prctl) {
  if (by_prctl) return error_of(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program));
  return error_of(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program));
}

/* Exits with the number of the first filter that is answered in another way. */
static void install_filters(void) {
  for (int at = 0; at < 2 * (int)(sizeof filters / sizeof *filters); at++)
    if (answer(&filters[at / 2].program, at % 2) != filters[at / 2].error) _exit(at + 1);
  _exit(answer(NULL, false) == EFAULT && answer(NULL, true) == EFAULT ? 0 : 100);
}

static rlim_t most_locks(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_LOCKS, &limit) ? 0 : limit.rlim_max;
}

static int enter_domain(void) {
  struct vt_landlock_options options = {.abi = vt_landlock_abi()};
  int ruleset = vt_landlock_build(&options), failed = vt_landlock_restrict(ruleset);
  close(ruleset);
  return failed;
}

static bool child_says(bool (*says)(void)) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) _exit(says());
  return waitpid(child, &status, 0) == child && WEXITSTATUS(status);
}

static rlim_t before;
static bool enters(void) { return enter_domain() == 0 && most_locks() < before; }
static bool is_lower(void) { return most_locks() < before; }
/* What it sets is pretended, for itself and by number. */
static bool cannot_set(void) {
  struct rlimit other = {7, 7};
  rlim_t own = most_locks();
  return setrlimit(RLIMIT_LOCKS, &other) == 0 && prlimit(getpid(), RLIMIT_LOCKS, &other, NULL) == -1 && errno == EPERM && most_locks() == own;
}

/* The limit is lowered in the process, and for those that it starts; set by none. */
static void enter_domains(void) {
  before = most_locks();
  if (!child_says(cannot_set) || !child_says(enters) || most_locks() != before) _exit(1);
  if (!enters() || !child_says(is_lower) || !child_says(cannot_set)) _exit(2);
  _exit(!enter_domain() && most_locks() < before ? 0 : 3);
}

static void run(const char *what, uint64_t refused) {
  char line[4096 + 16], program[4096];
  if (!realpath("/proc/self/exe", program)) exit(1);
  snprintf(line, sizeof line, "exec '%s' %s", program, what);
  struct vt_command *command = make_command("/bin/sh", line, "/");
  confine_command(command, NULL);
  struct vt_end end = wait_for(start_command(command))->end;
  uint64_t count = 0;
  for (int row = 0; end.denials && row < end.denials->count; row++) count += end.denials->rows[row].count;
  CHECK(end.code == 0, "%s: exit %ld", what, (long)end.code);
  CHECK(count == refused, "%s: %lu refused", what, (unsigned long)count);
  vt_denials_free(end.denials);
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "filters") == 0) install_filters();
  if (count == 2) enter_domains();
  if (!vt_probe()->listener || vt_probe()->landlock_abi < 1) {
    printf("sandboxes of a command's own: skipped, no Landlock or no listener here\n");
    return 0;
  }
  run("filters", REFUSED_BY_US);
  run("domains", 2);
  return finish("a command's own domains are marked, its own filters looked at");
}
