/* refused PATH COUNT: the nanoseconds that one open(2) for writing takes, where it is refused. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  long calls = atol(arguments[2]);
  double begun = now();
  for (long call = 0; call < calls; call++)
    if (open(arguments[1], O_WRONLY) >= 0) return 1;
  printf("%.0f\n", (now() - begun) / (double)calls);
  return 0;
}
