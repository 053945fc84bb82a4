#include "workspace/spelling.h"

#include <stdint.h>
#include <string.h>

struct range {
  uint32_t first, last;
};

/* unicode.org, DerivedCoreProperties.txt 15.0: Default_Ignorable_Code_Point. Folding leaves them out (linux/fs/unicode). */
static const struct range ignored[] = {
    {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},
    {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

/* CaseFolding.txt 15.0, status C and F, and UnicodeData.txt for the letters i without and with a dot: what becomes ASCII. */
static const struct folding {
  uint32_t from;
  const char *to;
} foldings[] = {
    {0xdf, "ss"},    {0x130, "i"},    {0x131, "i"},    {0x17f, "s"},     {0x1e9e, "ss"},   {0x212a, "k"},   {0xfb00, "ff"},
    {0xfb01, "fi"},  {0xfb02, "fl"},  {0xfb03, "ffi"}, {0xfb04, "ffl"},  {0xfb05, "st"},   {0xfb06, "st"},
};

struct reader {
  const char *at, *end;
  const char *pending; /* the rest of a folding */
};

static bool is_ignored(uint32_t code) {
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    if (code >= ignored[i].first && code <= ignored[i].last) return true;
  return false;
}

static const char *folding_of(uint32_t code) {
  for (size_t i = 0; i < sizeof foldings / sizeof *foldings; i++)
    if (foldings[i].from == code) return foldings[i].to;
  return "";
}

/* One code point of UTF-8 (RFC 3629), its first byte read already. A byte that begins none counts as itself. */
static uint32_t decode(struct reader *reader, unsigned char first) {
  int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  uint32_t code = first & (0x3fu >> more);
  if (!more || reader->end - reader->at < more) return first;
  for (int i = 0; i < more; i++) {
    unsigned char byte = (unsigned char)reader->at[i];
    if ((byte & 0xc0) != 0x80) return first;
    code = code << 6 | (byte & 0x3f);
  }
  reader->at += more;
  return code;
}

/* The next folded code point; 0 at the end, which no name contains. */
static uint32_t next(struct reader *reader) {
  while (!*reader->pending && reader->at < reader->end) {
    unsigned char byte = (unsigned char)*reader->at++;
    if (byte < 0x80) return byte >= 'A' && byte <= 'Z' ? byte + 32u : byte;
    uint32_t code = decode(reader, byte);
    if (is_ignored(code)) continue;
    reader->pending = folding_of(code);
    if (!*reader->pending) return code;
  }
  return *reader->pending ? (uint32_t)*reader->pending++ : 0;
}

/* vfat and exfat leave dots at the end out (fs/fat/namei_vfat.c, vfat_striptail_len), Windows servers spaces too. */
static size_t without_tail(const char *name, size_t length) {
  while (length > 0 && (name[length - 1] == '.' || name[length - 1] == ' ')) length--;
  return length;
}

bool vt_spells(const char *text, const char *name, size_t length) {
  struct reader meant = {text, text + without_tail(text, strlen(text)), ""};
  struct reader given = {name, name + without_tail(name, length), ""};
  for (;;) {
    uint32_t code = next(&meant);
    if (next(&given) != code) return false;
    if (!code) return true;
  }
}
