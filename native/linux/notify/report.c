#define _GNU_SOURCE
#include "notify/report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"

const char *vt_operation_name(enum vt_operation operation) {
#define NAME(name, text) [VT_OP_##name] = text,
  static const char *const names[] = {VT_OPERATIONS(NAME)};
  return names[operation];
}

static bool is_same(const struct vt_denial *row, const struct vt_denial *refused) {
  if (row->operation != refused->operation || row->call != refused->call) return false;
  if (strcmp(row->program, refused->program)) return false;
  if (!row->text || !refused->text) return row->text == refused->text;
  return strcmp(row->text, refused->text) == 0;
}

static struct vt_denial *find(struct vt_denials *denials, const struct vt_denial *refused) {
  for (int at = 0; at < denials->count; at++)
    if (is_same(&denials->rows[at], refused)) return &denials->rows[at];
  return NULL;
}

/* Adds a row. Without room for it, or memory for its text, returns the row for the rest. */
static struct vt_denial *add(struct vt_denials *denials, const struct vt_denial *refused) {
  static const struct vt_denial rest = {.operation = VT_OP_OTHER, .call = VT_SYSCALL_COUNT};
  char *text = NULL;
  bool fits = denials->count < VT_DENIALS_MAX && (!refused->text || (text = strdup(refused->text)));
  if (!fits) {
    struct vt_denial *others = find(denials, &rest);
    if (others) return others;
    refused = &rest;
  }
  struct vt_denial *row = &denials->rows[denials->count++];
  *row = *refused;
  row->text = text;
  row->count = 0;
  return row;
}

void vt_denials_count(struct vt_denials *denials, const struct vt_denial *refused) {
  struct vt_denial *row = find(denials, refused);
  if (!row) row = add(denials, refused);
  row->count++;
}

void vt_denials_free(struct vt_denials *denials) {
  if (!denials) return;
  for (int at = 0; at < denials->count; at++) free(denials->rows[at].text);
  free(denials);
}

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
