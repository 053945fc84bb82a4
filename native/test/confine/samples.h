/* Argument values and situations that the filter tests go through. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "confine/filter/seccomp.h"

enum { ARGUMENTS = 6 };

/* Every combination of the options, with the Landlock ABIs on both sides of each change. `index` from 0; false past the
 * last. */
bool sample_options(size_t index, struct vt_filter_options *options);

/* Argument vectors at the edges: none, all, each single bit in all arguments, high halves alone, and pseudo-random
 * ones that are the same in every run. */
bool sample_arguments(size_t index, uint64_t arguments[ARGUMENTS]);

const char *arch_name(uint32_t arch);
