#pragma once

#include "notify/notification.h"

/* Carries a connect(2) to the proxy out, and refuses every other. */
void vt_connect_to_proxy(struct vt_notification *notification);
