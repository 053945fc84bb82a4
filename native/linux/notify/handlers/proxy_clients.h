/* Which process connected to the proxy from which port: the kernel tells the proxy only the port. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core.h"

void vt_proxy_client_add(uint16_t port, const struct vt_proxy_client *client);

/* Takes the entry out: the port may next be another process's. False: no command connected from it. */
bool vt_proxy_client_take(uint16_t port, struct vt_proxy_client *client);
