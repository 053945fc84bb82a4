/*
 * Operations carried out for a caller on a file of its private directory. Landlock does not cover metadata, and the path or
 * descriptor of a continued call could be replaced after the check, so none continues. Each acts on our own descriptor,
 * proven to be for a file of that directory.
 */
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
