#include "names.h"

#include <stdlib.h>
#include <string.h>

static struct vt_name *make(struct vt_name *parent, const char *text, size_t length) {
  struct vt_name *name = calloc(1, sizeof *name + length + 1);
  if (!name) abort();
  memcpy(name->text, text, length);
  name->parent = parent;
  return name;
}

struct vt_name *vt_name_root(void) { return make(NULL, "", 0); }

struct vt_name *vt_name_find(const struct vt_name *directory, const char *text, size_t length) {
  for (struct vt_name *child = directory->children; child; child = child->next)
    if (strlen(child->text) == length && memcmp(child->text, text, length) == 0) return child;
  return NULL;
}

struct vt_name *vt_name_take(struct vt_name *directory, const char *text, size_t length) {
  struct vt_name *child = vt_name_find(directory, text, length);
  if (child) return child;
  child = make(directory, text, length);
  child->next = directory->children;
  return directory->children = child;
}

void vt_name_cut(struct vt_name *directory) {
  for (; directory && !directory->cut; directory = directory->parent) directory->cut = true;
}

void vt_name_keep(struct vt_name *name) {
  name->kept = true;
  vt_name_cut(name);
}

int vt_name_path(const struct vt_name *name, char *path, size_t size) {
  if (!name->parent) return size > 1 ? (strcpy(path, "/"), 1) : -1;
  int before = vt_name_path(name->parent, path, size);
  size_t length = strlen(name->text), at = before == 1 ? 0 : (size_t)before;
  if (before < 0 || at + length + 2 > size) return -1;
  path[at] = '/';
  memcpy(path + at + 1, name->text, length + 1);
  return (int)(at + length + 1);
}

void vt_names_free(struct vt_name *root) {
  for (struct vt_name *child = root->children, *next; child; child = next) {
    next = child->next;
    vt_names_free(child);
  }
  free(root);
}
