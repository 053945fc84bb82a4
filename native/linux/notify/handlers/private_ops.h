/* What is done in a caller's place on a file of its private directory. Landlock does not hold metadata, and a call that went
 * on could have its path or descriptor exchanged after it was judged: so none goes on. Each of these acts on a descriptor of
 * ours, which was proven to stand for a file of that directory. */
#pragma once

#include <sys/stat.h>

#include "notify/notification.h"

/* The call is refused as anywhere else, and reported. */
enum { VT_NOT_OURS = -1 };

/* A file of the directory: an O_PATH descriptor, and what it is. */
struct vt_private_file {
  int fd;
  struct stat status;
};

/* Each returns 0 for done, an errno, or VT_NOT_OURS. */
int vt_private_op_chmod(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_chown(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_times(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_set_attribute(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_remove_attribute(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_lock(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_clone_data(struct vt_notification *notification, const struct vt_private_file *file);
