/* Operations on private files, carried out for the caller. Landlock does not cover metadata, and a continued call could have
 * its path or descriptor replaced after the check. So each acts on our own descriptor, proven private. */
#pragma once

#include <sys/stat.h>

#include "notify/notification.h"

/* The refusal stands, and is reported. */
enum { VT_NOT_OURS = -1 };

/* An O_PATH descriptor of the file, and its status. */
struct vt_private_file {
  int fd;
  struct stat status;
};

/* Each returns 0 when done, an errno, or VT_NOT_OURS. */
int vt_private_op_chmod(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_chown(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_times(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_set_attribute(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_remove_attribute(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_lock(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_clone_data(struct vt_notification *notification, const struct vt_private_file *file);
