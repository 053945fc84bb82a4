/* Each port's client is known until it is taken, whatever other ports clients come from. */
#include "core.h"
#include "notify/dispatch.h"
#include "test/check.h"

int main(void) {
  struct vt_proxy_client client = {0};
  for (int port = 1; port <= UINT16_MAX; port++) {
    client.command = (uint32_t)port;
    vt_proxy_client_add((uint16_t)port, &client);
  }
  int wrong = 0;
  for (int port = 1; port <= UINT16_MAX; port++) {
    bool known = vt_core_proxy_client((uint16_t)port, &client);
    wrong += !known || client.command != (uint32_t)port || vt_core_proxy_client((uint16_t)port, &client);
  }
  CHECK(wrong == 0, "%d ports", wrong);
  return finish("the proxy's clients are known by their ports");
}
