/* A thread that writes a command's output from its pipes to a file, so that JavaScript need not copy it. */
#pragma once

#include "base/command.h"

/* As vt_core_store(); copies `file`. NULL with errno. */
struct vt_store *vt_store_open(int file, size_t keep, uint64_t until);

/* VT_MESSAGE_STORED follows once it is over: the pipes have ended, `until`, an error, or vt_store_stop(). */
bool vt_store_start(struct vt_store *store, const struct vt_command *command);

void vt_store_stop(const struct vt_store *store);

/* Whether bytes are on their way, and when the last ones came. */
bool vt_store_is_busy(const struct vt_store *store);
int64_t vt_store_last_byte(const struct vt_store *store);

/* Frees a store without a thread; returns what became of the output. */
struct vt_stored *vt_store_close(struct vt_store *store);
