#define _GNU_SOURCE
#include "private_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer.h"
#include "judge.h"
#include "place.h"
#include "policy.h"
#include "private_acts.h"

/* linux/stat.h: STATX_MNT_ID, Linux 5.8; stx_mnt_id stands at 0x90 */
enum { MOUNT_ID = 0x1000, MOUNT_ID_AT = 0x90, STATX_BYTES = 0x100 };
enum { NOT_FOUND = -2 };

/* The mount that a descriptor's file was reached through. */
static bool mount_of(int fd, uint64_t *mount) {
  union {
    char bytes[STATX_BYTES];
    uint32_t mask;
  } found;
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, MOUNT_ID, &found)) return false;
  memcpy(mount, found.bytes + MOUNT_ID_AT, sizeof *mount);
  return (found.mask & MOUNT_ID) != 0;
}

static bool is_beneath(const char *path, const char *directory) {
  size_t length = strlen(directory);
  return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* A path alone would not do: what hangs on no mount of ours any more has one that begins anywhere. */
static bool is_in(const char *directory, const char *path, uint64_t mount) {
  uint64_t own;
  if (!is_beneath(path, directory)) return false;
  int fd = open(directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  bool same = mount_of(fd, &own) && own == mount;
  close(fd);
  return same;
}

/* The kernel names the file by the directory entry that it was reached by. Nothing from elsewhere gets an entry there:
 * Landlock refuses to link or rename across the border. */
bool vt_is_private(const struct vt_docket *docket, int fd) {
  char link[48], path[PATH_MAX];
  uint64_t mount;
  snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd); /* a thread may have a table of its own (take.c) */
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || length == (ssize_t)sizeof path - 1 || !mount_of(fd, &mount)) return false;
  path[length] = 0;
  for (char **directory = docket->policy->writable; *directory; directory++)
    if (is_in(*directory, path, mount)) return true;
  return false;
}

static uint64_t argument(const struct vt_inquiry *inquiry, int index) { return inquiry->notification.data.args[index]; }

static int open_descriptor(const struct vt_inquiry *inquiry, int number) {
  char link[48];
  snprintf(link, sizeof link, "/proc/%d/fd/%d", inquiry->caller.thread, number);
  return open(link, O_PATH | O_CLOEXEC);
}

/* Of a directory's descriptor and no path: what the descriptor stands for (utimensat(2), AT_EMPTY_PATH). */
static int open_directory_itself(const struct vt_inquiry *inquiry) {
  const struct vt_call *call = inquiry->call;
  bool may_be_empty = call->flags && (argument(inquiry, call->flags) & AT_EMPTY_PATH);
  bool has_no_path = argument(inquiry, call->argument) == 0;
  if (call->directory == VT_NO_ARGUMENT || !(may_be_empty || has_no_path)) return -1;
  return open_descriptor(inquiry, (int)argument(inquiry, call->directory));
}

/* The file at the end of the call's path. NOT_FOUND: there is none, in a place of the caller's own. */
static int open_at_path(struct vt_inquiry *inquiry) {
  const struct vt_call *call = inquiry->call;
  struct vt_place place;
  uint64_t address = argument(inquiry, call->argument);
  int directory = call->directory == VT_NO_ARGUMENT ? AT_FDCWD : (int)argument(inquiry, call->directory);
  inquiry->given[0] = 0;
  if (address && vt_caller_string(&inquiry->caller, address, inquiry->given, sizeof inquiry->given)) return -1;
  if (!inquiry->given[0]) return open_directory_itself(inquiry);
  __atomic_store_n(&inquiry->given_known, true, __ATOMIC_RELEASE);
  bool follow = vt_call_follows(call, &inquiry->notification.data);
  if (vt_place_find(&inquiry->caller, directory, inquiry->given, follow, &place)) return -1;
  const char *name = place.name[0] ? place.name : ".";
  int fd = openat(place.parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT && vt_is_private(inquiry->docket, place.parent)) fd = NOT_FOUND;
  vt_place_close(&place);
  return fd;
}

static int open_subject(struct vt_inquiry *inquiry) {
  if (inquiry->call->subject == VT_DESCRIPTOR) return open_descriptor(inquiry, (int)argument(inquiry, inquiry->call->argument));
  return open_at_path(inquiry);
}

/* Flags that nobody knows are for the kernel to refuse, and it is not asked. */
static bool has_known_flags(const struct vt_inquiry *inquiry) {
  int flags = inquiry->call->flags;
  return !flags || (argument(inquiry, flags) & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) == 0;
}

/* The caller must still be the one that was looked at. What happens to its names from here on changes nothing. */
static int act_on(struct vt_inquiry *inquiry, int fd) {
  struct vt_private_file file = {.fd = fd};
  if (!vt_is_private(inquiry->docket, fd) || fstat(fd, &file.status)) return VT_NOT_OURS;
  return vt_still_waits(inquiry->docket, inquiry) ? inquiry->call->act(inquiry, &file) : VT_NOT_OURS;
}

bool vt_act_in_private(struct vt_inquiry *inquiry) {
  if (!inquiry->call->act || !inquiry->docket->policy->writable[0] || !has_known_flags(inquiry)) return false;
  int fd = open_subject(inquiry);
  if (fd == -1) return false;
  int error = fd == NOT_FOUND ? ENOENT : act_on(inquiry, fd);
  if (fd >= 0) close(fd);
  if (error == VT_NOT_OURS) return false;
  inquiry->error = error;
  inquiry->done = error == 0;
  return true;
}
