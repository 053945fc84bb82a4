#include "confine/confinement_pool.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine/confinement.h"
#include "workspace/reuse.h"

/* Bounds, because the rule of a removed directory keeps its inode in memory and on disk. */
enum { MOST_SPARES = 8, MOST_USES = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vt_confinement *spares; /* most recently used first */

/* A removed directory has no links left, not even its own ".", wherever it was. */
static bool is_gone(struct vt_confinement *confinement) {
  struct stat status;
  if (confinement->granted < 0) return true;
  if (fstat(confinement->granted, &status) || status.st_nlink > 0) return false;
  close(confinement->granted);
  confinement->granted = -1;
  return true;
}

static bool is_granted(const struct vt_confinement *confinement, const struct stat *directory) {
  struct stat status;
  return confinement->granted >= 0 && fstat(confinement->granted, &status) == 0 && status.st_dev == directory->st_dev &&
         status.st_ino == directory->st_ino;
}

static struct vt_confinement **find(const char *key, const struct vt_reads *reads, const struct stat *directory) {
  struct vt_confinement **at = &spares;
  while (*at && ((*at)->reads != reads || strcmp((*at)->key, key) || !(is_granted(*at, directory) || is_gone(*at))))
    at = &(*at)->next;
  return at;
}

struct vt_confinement *vt_confinement_pool_take(const char *key, const struct vt_reads *reads, const char *directory) {
  struct stat status;
  if (stat(directory, &status)) return NULL;
  pthread_mutex_lock(&lock);
  struct vt_confinement **at = find(key, reads, &status), *found = *at;
  if (found) *at = found->next;
  pthread_mutex_unlock(&lock);
  return found;
}

static struct vt_confinement *cut_last(void) {
  struct vt_confinement **at = &spares;
  for (int kept = 0; *at && kept < MOST_SPARES; kept++) at = &(*at)->next;
  struct vt_confinement *last = *at; /* at most one: they are added one by one */
  *at = NULL;
  return last;
}

bool vt_confinement_pool_keep(struct vt_confinement *confinement) {
  if (!confinement->private || confinement->uses >= MOST_USES) return false;
  if (confinement->workspace) vt_workspace_rest(confinement->workspace);
  pthread_mutex_lock(&lock);
  is_gone(confinement);
  confinement->next = spares;
  spares = confinement;
  struct vt_confinement *last = cut_last();
  pthread_mutex_unlock(&lock);
  if (last) vt_confinement_free(last);
  return true;
}

void vt_confinement_pool_prune(void) {
  pthread_mutex_lock(&lock);
  for (struct vt_confinement *confinement = spares; confinement; confinement = confinement->next) is_gone(confinement);
  pthread_mutex_unlock(&lock);
}
