/* The end of an inquiry: the refusal is counted, the call answered. */
#pragma once

#include "inquiry.h"

/* Whether the caller still waits: if not, its number may be anybody's (seccomp_unotify(2)). */
bool vt_still_waits(const struct vt_docket *docket, const struct vt_inquiry *inquiry);

/* The same, by a listener that is known under another number. */
bool vt_waits_at(int listener, const struct vt_inquiry *inquiry);

/* Counted before it is answered, so that a command that has ended has all its refusals counted; never blocks. */
void vt_answer(struct vt_docket *docket, struct vt_inquiry *inquiry);
