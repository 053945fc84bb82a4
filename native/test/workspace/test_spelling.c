/* Other spellings of protected names. The foldings are those of ext4's casefold (linux/fs/unicode/utf8-norm.c). */
#include <stdbool.h>
#include <string.h>

#include "test/check.h"
#include "workspace/workspace.h"

static const struct row {
  const char *meant, *name;
  bool same;
} rows[] = {
    {".git", ".git", true},
    {".git", ".GIT", true},
    {".vscode", ".v\u017fcode", true},     /* long s */
    {".vscode", ".V\u017fCODE", true},
    {"hooks", "hoo\u212as", true},         /* Kelvin sign */
    {".git", ".g\u0131t", true},           /* dotless i */
    {".git", ".g\u0130t", true},           /* I with a dot */
    {"config", "con\ufb01g", true},        /* ligature fi */
    {"class", "cla\u00df", true},          /* sharp s */
    {"class", "cla\u1e9e", true},
    {"first", "fir\ufb06", true},          /* ligature st */
    {"office", "o\ufb03ce", true},
    {".git", ".g\u200dit", true},          /* zero width joiner */
    {".git", ".git\u200c", true},
    {".git", "\ufeff.git", true},
    {".git", ".gi\u00adt", true},          /* soft hyphen */
    {".git", ".git\U000e0100", true},      /* variation selector */
    {"caf\u00e9", "CAF\u00e9", true},
    {"stra\u00dfe", "strasse", true},
    {".git", ".git.", true},               /* vfat, exfat */
    {".git", ".GIT.. .", true},
    {"a.", "A", true},
    {".git", ".gi", false},
    {".git", ".git.x", false},
    {".git", " .git", false},
    {".git", ".gitt", false},
    {".git", ".g\u00eft", false},
    {".git", "\u200d", false},
    {".vscode", ".v\u0455code", false},    /* Cyrillic */
    {".git", ".git\xe2\x80", false},       /* no whole code point */
    {".git", ".g\xfft", false},
};

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK(vt_spells(rows[i].meant, rows[i].name, strlen(rows[i].name)) == rows[i].same, "%s, %s", rows[i].meant, rows[i].name);
  CHECK(!vt_spells(".git", ".gitx", 3), "shorter");
  CHECK(vt_spells(".git", ".gitx", 4), "the first bytes only");
  return finish("test_spelling");
}
