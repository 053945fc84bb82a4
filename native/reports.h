/* What the end of a command hands over, beside how it ended. A part of core.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vt_denials;
struct vt_notes;

/* Its texts live as long as the denials. */
struct vt_refused {
  const char *operation, *call, *program;
  const char *text; /* path or address, NULL: none */
  bool is_path;
  bool is_protected; /* Linux, workspace mode: the path is protected */
  bool own_sandbox;  /* Linux: allowed, had the program no sandbox of its own */
  int pid;
  uint64_t count;
};

bool vt_core_denial(const struct vt_denials *denials, int row, struct vt_refused *refused); /* false: no such row */
void vt_core_free_denials(struct vt_denials *denials);
/* Linux, workspace mode: what the command made or changed that programs outside obey. `before`: what the file held, or NULL. */
struct vt_noticed {
  const char *kind, *path, *before; /* kinds: "repository", "name", "moved" */
  size_t before_length;
};

bool vt_core_note(const struct vt_notes *notes, int row, struct vt_noticed *noticed); /* false: no such row */
bool vt_core_notes_unseen(const struct vt_notes *notes); /* there is more than the rows say */
void vt_core_free_notes(struct vt_notes *notes);

enum { VT_OPEN_PORTS_MAX = 32 };

/* A TCP socket that a command's process listens on (Linux). */
struct vt_open_port {
  char address[48], program[16]; /* INET6_ADDRSTRLEN, TASK_COMM_LEN */
  int port, pid;
};
