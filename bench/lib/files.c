/* files DIRECTORY COUNT: creates, renames, chmods and removes that many small files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char one[4096], other[4096];

static int names(const char *directory, long file) {
  snprintf(one, sizeof one, "%s/a%ld", directory, file);
  snprintf(other, sizeof other, "%s/b%ld", directory, file);
  return 0;
}

static int create(void) {
  int fd = open(one, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  return fd < 0 || write(fd, "small\n", 6) != 6 || close(fd);
}

static int move(void) { return rename(one, other); }
static int change(void) { return chmod(other, 0600); }
static int erase(void) { return unlink(other); }

int main(int count, char **arguments) {
  static int (*const steps[])(void) = {create, move, change, erase};
  if (count != 3) return 2;
  for (int step = 0; step < 4; step++)
    for (long file = 0; file < atol(arguments[2]); file++)
      if (names(arguments[1], file) || steps[step]()) return perror(one), 1;
  return 0;
}
