/* A process of the command that has put itself in a narrower sandbox. The kernel would answer its calls by that sandbox, and the
 * notifier cannot: so it carries nothing out for such a caller that the sandbox may refuse. */
#pragma once

#include "notify/notification.h"

/* Whether the caller may have fewer rights than the command had at its start: a Landlock domain of its own, or no more the
 * capability to read everything. The answer is about the caller if its call still waits afterwards. */
bool vt_has_own_sandbox(const struct vt_notification *notification);

/* Only the latter, for calls that Landlock does not decide: metadata, locks. */
bool vt_lacks_capability(const struct vt_notification *notification);
