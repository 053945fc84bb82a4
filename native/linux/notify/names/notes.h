/* What a command of workspace mode has made or changed that programs outside obey: a bounded list for the owner. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { VT_NOTES_MAX = 256 };

enum vt_note_kind {
  VT_NOTE_REPOSITORY, /* a `.git`, or a directory with `objects` and `refs` */
  VT_NOTE_NAME,       /* a path that leads through a noted name */
  VT_NOTE_MOVED,      /* a directory that came from another root, whose contents were not followed there */
};

struct vt_note {
  enum vt_note_kind kind;
  char *path;
  char *before; /* what the file held; NULL: nothing, or it is not one to compare */
  size_t before_length;
};

struct vt_notes {
  bool unseen; /* there is more than this: the list was full, or a call made a name that was not proven */
  int count;
  struct vt_note rows[VT_NOTES_MAX];
};

bool vt_notes_have(const struct vt_notes *notes, enum vt_note_kind kind, const char *path);

/* Takes over `before` (from malloc). Without effect for what is listed already. */
void vt_notes_add(struct vt_notes *notes, enum vt_note_kind kind, const char *path, char *before, size_t before_length);

/* A directory has moved: what is listed beneath it is listed at its new place, too. */
void vt_notes_follow(struct vt_notes *notes, const char *old, const char *new);

void vt_notes_free(struct vt_notes *notes);
