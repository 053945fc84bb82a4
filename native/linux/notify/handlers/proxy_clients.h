/* Which process connected to the proxy from which port: the kernel tells the proxy only the port. */
#pragma once

#include <stdint.h>

#include "core.h"

void vt_proxy_client_add(uint16_t port, const struct vt_proxy_client *client);
