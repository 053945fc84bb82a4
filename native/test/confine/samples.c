#include "samples.h"

#include <linux/audit.h>
#include <stdbool.h>

bool sample_options(size_t index, struct vt_filter_options *options) {
  static const int abis[] = {1, 2, 3, 5, 6, 10};
  const size_t reports = 3, each = 64 * reports;
  if (index >= each * sizeof abis / sizeof *abis) return false;
  options->arch = index & 1 ? AUDIT_ARCH_AARCH64 : AUDIT_ARCH_X86_64;
  options->network = index & 2;
  options->judge = index & 4;
  options->unwritable = index & 8;
  options->terminal = index & 16;
  options->report = index / 64 % reports > 0;
  options->workspace = index / 64 % reports > 1;
  options->proxied = !options->network && index / each % 2; /* with every second ABI */
  options->own_sockets = index / each % 3 == 1;
  options->sessions = index & 32;
  options->abi = abis[index / each];
  return true;
}

/* splitmix64: no state, so a sample does not depend on those before it. */
static uint64_t scramble(uint64_t seed) {
  uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static const uint64_t edges[] = {0, UINT64_MAX, UINT32_MAX, UINT64_C(0xffffffff00000000), 3, 5, 6, 10, 17, 1024};
enum { EDGES = sizeof edges / sizeof *edges, BITS = 64, RANDOM = 12 };

bool sample_arguments(size_t index, uint64_t arguments[ARGUMENTS]) {
  if (index >= EDGES + BITS + RANDOM) return false;
  for (size_t i = 0; i < ARGUMENTS; i++) {
    if (index < EDGES) arguments[i] = edges[index];
    else if (index < EDGES + BITS) arguments[i] = UINT64_C(1) << (index - EDGES);
    else arguments[i] = scramble(index * ARGUMENTS + i);
  }
  return true;
}

const char *arch_name(uint32_t arch) {
  return arch == AUDIT_ARCH_X86_64 ? "x86_64" : "aarch64";
}
