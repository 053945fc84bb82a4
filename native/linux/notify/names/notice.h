/* Notices what a command of workspace mode makes or changes that programs outside obey (notes.h): repositories of git, and names of the
 * owner's table. Git takes a directory for a repository only if it finds `objects` and `refs` (setup.c, is_git_directory), which have
 * to be directories, links or executable files. Every call that could make one of these is made by the workspace server, so the name
 * that is compared is the name that is made; a call that goes on could make another. */
#pragma once

#include "notify/caller/resolve.h"
#include "notify/notification.h"

/* The names of the owner's table, for all commands from now on: each a line, `a/b` or `*.suffix`. Once. */
void vt_notice_names(const char *lines);

/* Before a call changes or removes the file at `place`, by name. */
void vt_notice_change(struct vt_notification *notification, const struct vt_resolved *place);

/* EILSEQ: a repository there could not be listed, because its path is not UTF-8. Else 0. */
int vt_notice_objection(const struct vt_notification *notification, const struct vt_resolved *place);

/* After a call has made `name` in `parent`. */
void vt_notice_made(struct vt_notification *notification, int parent, const char *path, const char *name);

/* After a directory was moved. */
void vt_notice_moved(struct vt_notification *notification, const char *old, const char *new);

/* Before the file of a descriptor becomes executable. */
void vt_notice_executable(struct vt_notification *notification, int fd);

/* Whether it may make a piece of a repository. */
bool vt_notice_makes_name(const struct vt_notification *notification);

/* Before a reply: a call that makes a name, and goes on. */
void vt_notice_reply(struct vt_notification *notification);
