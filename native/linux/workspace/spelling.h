/* Which names a case-folding file system treats as equal (ext4(5), casefold; vfat, exfat, ntfs). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Knows the code points that fold to ASCII; others equal only themselves. */
bool vt_spells(const char *text, const char *name, size_t length);
