#define _GNU_SOURCE
#include "notify/names/notes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"

bool vt_notes_have(const struct vt_notes *notes, enum vt_note_kind kind, const char *path) {
  for (int at = 0; at < notes->count; at++)
    if (notes->rows[at].kind == kind && strcmp(notes->rows[at].path, path) == 0) return true;
  return false;
}

void vt_notes_add(struct vt_notes *notes, enum vt_note_kind kind, const char *path, char *before, size_t before_length) {
  bool listed = vt_notes_have(notes, kind, path);
  char *copy = listed || notes->count == VT_NOTES_MAX ? NULL : strdup(path);
  if (!copy) {
    if (!listed) notes->unseen = true;
    return free(before);
  }
  notes->rows[notes->count++] = (struct vt_note){kind, copy, before, before_length};
}

void vt_notes_follow(struct vt_notes *notes, const char *old, const char *new) {
  char path[PATH_MAX];
  int count = notes->count;
  for (int at = 0; at < count; at++) {
    const char *rest = vt_path_beneath(notes->rows[at].path, old);
    if (!rest) continue;
    if (snprintf(path, sizeof path, "%s%s", new, rest) < (int)sizeof path) vt_notes_add(notes, notes->rows[at].kind, path, NULL, 0);
    else notes->unseen = true;
  }
}

void vt_notes_free(struct vt_notes *notes) {
  if (!notes) return;
  for (int at = 0; at < notes->count; at++) {
    free(notes->rows[at].path);
    free(notes->rows[at].before);
  }
  free(notes);
}
