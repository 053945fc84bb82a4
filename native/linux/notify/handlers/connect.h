#pragma once

#include <stdint.h>

#include "core.h"
#include "notify/notification.h"

/* Carries a connect(2) to the proxy out, and refuses every other. */
void vt_connect_to_proxy(struct vt_notification *notification);

/* Which process connected to the proxy from which port: the kernel tells the proxy only the port. */
void vt_proxy_client_add(uint16_t port, const struct vt_proxy_client *client);
