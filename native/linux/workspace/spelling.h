/* Which names a case-folding file system takes for the same (ext4(5), casefold; vfat, exfat, ntfs). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* As far as spellings of ASCII letters go; others count as they are. */
bool vt_spells(const char *text, const char *name, size_t length);
