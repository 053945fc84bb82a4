/* The relay's thread preempts no other, under musl either. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"
#include "test/check.h"

/* As in musl, where it is a stub. */
int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param) {
  (void)pid, (void)policy, (void)param;
  errno = ENOSYS;
  return -1;
}

static void on_relayed(struct vt_owner *owner, uint32_t id, bool has_ended) { (void)owner, (void)id, (void)has_ended; }

static void on_release(struct vt_owner *owner) { (void)owner; }

static struct vt_owner owner = {.relayed = on_relayed, .release = on_release};

static bool is_relay_thread(const char *thread) {
  char path[64], name[16] = "";
  snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", thread);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t length = read(fd, name, sizeof name - 1);
  close(fd);
  return length > 0 && strcmp(name, "vitrine-relay\n") == 0;
}

static long policy_of_relay(void) {
  DIR *threads = opendir("/proc/self/task");
  long policy = -1;
  for (struct dirent *entry; (entry = readdir(threads));)
    if (is_relay_thread(entry->d_name)) policy = syscall(SYS_sched_getscheduler, atoi(entry->d_name));
  closedir(threads);
  return policy;
}

/* Once a byte is through, the thread has set what it sets at its start. */
int main(void) {
  int client[2], server[2];
  char byte;
  CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, client) && !socketpair(AF_UNIX, SOCK_STREAM, 0, server), "errno %d", errno);
  CHECK(vt_core_relay(&(struct vt_relay_request){1, &owner, client[1], server[0], 1 << 20, false}) == 0, "errno %d", errno);
  CHECK(send(client[0], "x", 1, 0) == 1 && recv(server[1], &byte, 1, 0) == 1, "errno %d", errno);
  CHECK(policy_of_relay() == SCHED_BATCH, "policy %ld", policy_of_relay());
  vt_core_end_relay(1);
  return finish("the relay's thread preempts no other");
}
