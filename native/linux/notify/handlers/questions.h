/* Where `on_protected = "ask"` holds, the owner of a command is asked before something protected changes: once for each protected
 * path and command. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vt_notification;
struct vt_questions;

struct vt_questions *vt_questions_open(uint32_t id);
void vt_questions_free(struct vt_questions *questions);

/* Waits for the owner's answer, or finds an earlier one. No answer, because the caller or its command has ended, is no. */
bool vt_questions_ask(struct vt_questions *questions, const struct vt_notification *notification, const char *path);

/* Whether the owner has said yes about the path. Never waits. */
bool vt_questions_allowed(struct vt_questions *questions, const char *path);

/* Called by the supervisor thread. */
void vt_questions_answer(struct vt_questions *questions, size_t number, bool yes);
