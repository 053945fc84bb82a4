#include "notify/handlers/proxy_clients.h"

#include <pthread.h>

/* An entry for each port, so that no client displaces another: a command without its entry could use the secret of another one.
 * Pages take memory when they are first used. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  bool known;
  struct vt_proxy_client client;
} entries[UINT16_MAX + 1];

void vt_proxy_client_add(uint16_t port, const struct vt_proxy_client *client) {
  pthread_mutex_lock(&lock);
  entries[port].known = true;
  entries[port].client = *client;
  pthread_mutex_unlock(&lock);
}

/* Takes the entry out: the port may be another process's next. */
bool vt_core_proxy_client(uint16_t port, struct vt_proxy_client *client) {
  pthread_mutex_lock(&lock);
  bool known = entries[port].known;
  if (known) *client = entries[port].client;
  entries[port].known = false;
  pthread_mutex_unlock(&lock);
  return known;
}
