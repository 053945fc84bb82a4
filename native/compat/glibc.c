/* Own definitions of functions whose symbols changed in newer glibc, so that an addon built on a new system loads on glibc 2.28
 * (RHEL 8, Debian 10) and later. Not used by the native tests. pthread_* moved into libc in glibc 2.34, pthread_sigmask in 2.32;
 * *stat became symbols in 2.33; gettid is new in 2.30. */
#define _GNU_SOURCE
#include <errno.h>
#include <features.h>

#ifdef __GLIBC__
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN __attribute__((visibility("hidden")))

#if defined(__x86_64__)
#define FIRST "GLIBC_2.2.5"
#define SETCLOCK "GLIBC_2.3.3"
#elif defined(__aarch64__)
#define FIRST "GLIBC_2.17"
#define SETCLOCK "GLIBC_2.17"
#endif

/* The symbol versions from before the move; newer glibc still has them. */
__asm__(".symver old_pthread_create, pthread_create@" FIRST);
__asm__(".symver old_pthread_join, pthread_join@" FIRST);
__asm__(".symver old_pthread_once, pthread_once@" FIRST);
__asm__(".symver old_pthread_attr_setstacksize, pthread_attr_setstacksize@" FIRST);
__asm__(".symver old_pthread_condattr_setclock, pthread_condattr_setclock@" SETCLOCK);

int old_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int old_pthread_join(pthread_t thread, void **value);
int old_pthread_once(pthread_once_t *once, void (*run)(void));
int old_pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int old_pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);

OWN int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  return old_pthread_create(thread, attributes, start, argument);
}
OWN int pthread_join(pthread_t thread, void **value) { return old_pthread_join(thread, value); }
OWN int pthread_once(pthread_once_t *once, void (*run)(void)) { return old_pthread_once(once, run); }
OWN int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size) {
  return old_pthread_attr_setstacksize(attributes, size);
}
OWN int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock) {
  return old_pthread_condattr_setclock(attributes, clock);
}

OWN pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

/* sigset_t is longer than the kernel's, which has _NSIG / 8 bytes (rt_sigprocmask(2)). */
OWN int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  int error = errno;
  int failed = syscall(SYS_rt_sigprocmask, how, set, old, 8) ? errno : 0;
  errno = error;
  return failed;
}

/* On x86_64 and aarch64 struct stat is the kernel's (stat(2), C library/kernel differences). */
static int stat_at(int directory, const char *path, void *status, int flags) {
  return (int)syscall(SYS_newfstatat, directory, path, status, flags);
}
OWN int stat(const char *path, struct stat *status) { return stat_at(AT_FDCWD, path, status, 0); }
OWN int lstat(const char *path, struct stat *status) { return stat_at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW); }
OWN int fstat(int fd, struct stat *status) { return (int)syscall(SYS_fstat, fd, status); }
OWN int fstatat(int directory, const char *path, struct stat *status, int flags) {
  return stat_at(directory, path, status, flags);
}
#endif
