/* Files of /proc, of processes that are there and of one that is not. */
#include <string.h>
#include <unistd.h>

#include "base/procfs.h"
#include "test/check.h"

enum { NO_PROCESS = 0x7ffffffe }; /* above PID_MAX_LIMIT, linux/threads.h */

static void reads_a_file(void) {
  char text[64];
  size_t length = vt_procfs_read(getpid(), "comm", text, sizeof text);
  CHECK(length == strlen(text) && strcmp(text, "test_procfs\n") == 0, "%zu bytes: %s", length, text);
}

/* The callers search the text without a look at the length. */
static void leaves_nothing_of_an_earlier_text(void) {
  char text[] = "\nPid:\t1\n";
  CHECK(vt_procfs_read(NO_PROCESS, "status", text, sizeof text) == 0 && text[0] == 0, "%s", text);
  strcpy(text, "\nPid:\t1\n");
  CHECK(vt_procfs_read(getpid(), "fdinfo/-1", text, sizeof text) == 0 && text[0] == 0, "%s", text);
}

static void knows_that_a_process_is_gone(void) {
  CHECK(vt_procfs_umask(getpid()) >= 0, "no umask of our own");
  CHECK(vt_procfs_umask(NO_PROCESS) == -1, "a umask of no process");
}

int main(void) {
  reads_a_file();
  leaves_nothing_of_an_earlier_text();
  knows_that_a_process_is_gone();
  return finish("files of /proc");
}
