/* Real commands, run through launcher and supervisor. One owner hears of all. */
#pragma once

#include "base/command.h"

/* What the owner heard of a command. */
struct heard {
  bool ended;
  size_t bytes[VT_STREAMS];
  char text[VT_STREAMS][64]; /* the beginning */
  struct vt_end end;         /* its denials are the test's to free */
};

extern struct vt_owner test_owner;

/* Makes `PROGRAM -c LINE` with no confinement; its id is one more than the last. */
struct vt_command *make_command(const char *program, const char *line, const char *cwd);

/* Confines it; `writable` is NULL-terminated, or NULL. */
void confine_command(struct vt_command *command, const char *const *writable);

uint32_t start_command(struct vt_command *command);

/* Waits for the command's end. After a minute the test program ends. */
struct heard *wait_for(uint32_t id);

/* Waits until the owner was released so often. */
void wait_for_releases(uint32_t count);
