#include "notify/handlers/proxy_clients.h"

#include <pthread.h>

/* More than the connections that can wait in the proxy's queue. If two ports share an entry, the earlier client becomes unknown:
 * then only a secret in its request tells the proxy whose it is. */
enum { ENTRIES = 8192 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  uint16_t port; /* 0: none */
  struct vt_proxy_client client;
} entries[ENTRIES];

void vt_proxy_client_add(uint16_t port, const struct vt_proxy_client *client) {
  pthread_mutex_lock(&lock);
  entries[port % ENTRIES].port = port;
  entries[port % ENTRIES].client = *client;
  pthread_mutex_unlock(&lock);
}

/* Takes the entry out: the port may be another process's next. */
bool vt_core_proxy_client(uint16_t port, struct vt_proxy_client *client) {
  pthread_mutex_lock(&lock);
  bool known = port && entries[port % ENTRIES].port == port;
  if (known) {
    *client = entries[port % ENTRIES].client;
    entries[port % ENTRIES].port = 0;
  }
  pthread_mutex_unlock(&lock);
  return known;
}
