#define _GNU_SOURCE
#include "notify/fsize.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/procfs.h"
#include "notify/listener.h"

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
