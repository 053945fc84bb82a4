/* Judges intercepted calls: what is refused and reported, what goes on. Runs on a notifier, may block on a lookup. */
#pragma once

#include "inquiry.h"

/* Starts an inquiry: everything that needs no look at the caller. */
void vt_inquiry_open(struct vt_inquiry *inquiry, const struct seccomp_notif *notification, const struct vt_docket *docket);

/* Fills in what came out. */
void vt_judge(struct vt_inquiry *inquiry);

/* The outcome where nobody may look: refused, with the path as given if that is known. Some calls need no such look. */
void vt_judge_blindly(struct vt_inquiry *inquiry);

/* Of calls that the rules leave to Landlock: judged by where their path leads (judge_path.c). */
void vt_judge_open(struct vt_inquiry *inquiry);
void vt_judge_truncate(struct vt_inquiry *inquiry);
void vt_judge_remove(struct vt_inquiry *inquiry);
void vt_judge_make(struct vt_inquiry *inquiry);
void vt_judge_link(struct vt_inquiry *inquiry);
void vt_judge_rename(struct vt_inquiry *inquiry);

/* Of signals: by the session of the target (judge_signal.c). */
void vt_judge_signal(struct vt_inquiry *inquiry);

/* Of the size of files: what limit the command sets itself, and what size it asks for, is noted (judge.c). */
void vt_judge_file_limit(struct vt_inquiry *inquiry);
void vt_judge_file_size(struct vt_inquiry *inquiry);

/* Of addresses: the bind of a client is done in the caller's place (judge_bind.c). */
void vt_judge_bind(struct vt_inquiry *inquiry);

/* Where some unix sockets are granted: by where the path leads; Landlock judges it again (judge_connect.c). */
void vt_judge_connect(struct vt_inquiry *inquiry);

/* Texts of what calls that the rules refuse would have reached (describe.c). */
void vt_describe(struct vt_inquiry *inquiry);

/* Whether the refused socket is a lookup of users or groups that every program makes (name_service.c). */
bool vt_is_name_service(const struct vt_inquiry *inquiry);
