/* The end of an inquiry: the refusal is counted, the call answered. */
#pragma once

#include "inquiry.h"

/* Counted before it is answered, so that a command that has ended has all its refusals counted; never blocks. */
void vt_answer(struct vt_docket *docket, struct vt_inquiry *inquiry);
