/* A tree of names: the directories on the way to what can be read and to what cannot. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct vt_name {
  struct vt_name *parent, *children, *next;
  struct vt_name **slots; /* the children by the hash of their names, once there are several; NULL: none yet */
  size_t count, room;     /* of the children, and of the slots */
  bool granted; /* it can be read, and what lies beneath */
  bool kept;    /* it cannot, nor anything beneath */
  bool cut;     /* something is kept beneath, or may come to be: its entries are granted one by one */
  bool doubtful; /* a name was looked up in it that is missing or a link, and may lead elsewhere later */
  char text[];  /* "" for the root */
};

struct vt_name *vt_name_root(void);

/* The child of that name, or NULL. */
struct vt_name *vt_name_find(const struct vt_name *directory, const char *text, size_t length);

/* The child of that name, made when it is not there. */
struct vt_name *vt_name_take(struct vt_name *directory, const char *text, size_t length);

/* The directory is not granted as a whole any more, nor any above it. */
void vt_name_cut(struct vt_name *directory);
void vt_name_keep(struct vt_name *name);

/* The absolute path; returns its length, or -1 where it does not fit. */
int vt_name_path(const struct vt_name *name, char *path, size_t size);

void vt_names_free(struct vt_name *root);
