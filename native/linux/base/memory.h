/* Memory that must be had: without it a call would stay unanswered, output be lost, or a rule or limit be missing. */
#pragma once

#include <stdlib.h>

static inline void *vt_must(void *memory) {
  if (!memory) abort();
  return memory;
}
