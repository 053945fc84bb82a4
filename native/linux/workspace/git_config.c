/* Which configuration git may have that a command made: nothing in it starts a program. Read more strictly than git does: an entry a
 * line, as git writes them (git-config(1), CONFIGURATION FILE). */
#define _GNU_SOURCE
#include "workspace/workspace.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* WORD: a switch, a number, a name without a slash. ADDRESS: of a repository. REMOTE: the name of one that has an address. OF_REMOTE: a
 * word in the section of one. */
enum value { WORD, TEXT, ADDRESS, REMOTE, OF_REMOTE };

/* Not core.worktree: "git clean" would act on any directory. Not extensions.worktreeConfig: git would read another file. */
static const struct keys {
  const char *section, *names; /* in lower case; between blanks */
  enum value value;
} allowed[] = {
    {"core", " repositoryformatversion filemode bare logallrefupdates symlinks ignorecase precomposeunicode ", WORD},
    {"core", " autocrlf eol safecrlf compression abbrev quotepath trustctime checkstat untrackedcache longpaths ", WORD},
    {"extensions", " objectformat compatobjectformat refstorage relativeworktrees ", WORD},
    {"extensions", " partialclone ", REMOTE},
    {"remote", " url pushurl ", ADDRESS},
    {"remote", " fetch push partialclonefilter ", TEXT},
    {"remote", " tagopt mirror prune prunetags skipfetchall skipdefaultupdate followremotehead ", WORD},
    {"remote", " promisor ", OF_REMOTE},
    {"branch", " remote pushremote ", REMOTE},
    {"branch", " merge vscode-merge-base ", TEXT},
    {"branch", " rebase ", WORD},
    {"submodule", " active ", WORD},
    {"user", " name email ", TEXT},
    {"author", " name email ", TEXT},
    {"committer", " name email ", TEXT},
    {"init", " defaultbranch ", WORD},
    {"pull", " rebase ff ", WORD},
    {"push", " default autosetupremote followtags ", WORD},
    {"fetch", " prune prunetags ", WORD},
    {"gc", " auto ", WORD},
    {"lfs", " repositoryformatversion ", WORD},
};

enum { MOST_LINE = 1024, MOST_NAME = 64, MOST_REMOTE = 200 };

struct reader {
  const struct vt_workspace *workspace;
  const char *text;
  char section[MOST_NAME], subsection[MOST_LINE];
};

static bool is_word(const char *value) {
  while (isalnum((unsigned char)*value) || (*value && strchr("._-", *value))) value++;
  return !*value;
}

/* One that leads through nothing that a command may change: git runs hooks of the repository that it pushes to. */
static bool is_outside(const struct vt_workspace *workspace, const char *path, bool passed) {
  const struct vt_workspace_root *root = vt_workspace_root_of(workspace, path);
  if (strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/", 5) == 0) return false;
  return !root || root->is_private || (passed && strcmp(root->path, path) == 0);
}

static bool is_place_outside(const struct vt_workspace *workspace, const char *path) {
  char at[MOST_LINE] = "";
  size_t end = 0;
  if (*path != '/') return false;
  for (size_t length; *(path += strspn(path, "/")); path += length) {
    length = strcspn(path, "/");
    if (length == 1 && *path == '.') continue;
    if (length == 2 && strncmp(path, "..", 2) == 0) end = end ? (size_t)(strrchr(at, '/') - at) : 0;
    else end += (size_t)snprintf(at + end, sizeof at - end, "/%.*s", (int)length, path);
    at[end] = 0;
    if (!is_outside(workspace, at, true)) return false;
  }
  return is_outside(workspace, at, false);
}

/* gitremote-helpers(7): HELPER::ADDRESS, and HELPER:// for a scheme that git does not know, run git-remote-HELPER. */
static bool is_address(const struct vt_workspace *workspace, const char *value) {
  static const char *const schemes[] = {"https://", "http://", "ssh://", "git://", "git+ssh://", "ssh+git://"};
  if (value[0] == '-' || strstr(value, "::")) return false;
  if (strncmp(value, "file://", 7) == 0) return is_place_outside(workspace, value + 7);
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (strncmp(value, schemes[i], strlen(schemes[i])) == 0) return true;
  size_t host = strcspn(value, ":/");
  return value[host] == ':' ? host > 0 && !strstr(value, "://") : is_place_outside(workspace, value);
}

/* Any other name is a path for git. */
static bool is_remote(const struct reader *reader, const char *name) {
  char section[MOST_REMOTE + 32];
  if (!name[0] || strlen(name) > MOST_REMOTE) return false;
  stpcpy(stpcpy(stpcpy(section, "\n[remote \""), name), "\"]\n\turl = ");
  return strstr(reader->text, section) != NULL;
}

static bool fits(const struct reader *reader, enum value kind, const char *value) {
  switch (kind) {
    case WORD: return is_word(value);
    case TEXT: return true;
    case ADDRESS: return !strpbrk(value, " \t#;") && is_address(reader->workspace, value);
    case REMOTE: return strcmp(value, ".") == 0 || (!strpbrk(value, " \t#;") && is_remote(reader, value));
    default: return is_word(value) && is_remote(reader, reader->subsection);
  }
}

/* `name` is between blanks. */
static bool is_allowed(const struct reader *reader, const char *name, const char *value) {
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    if (strcmp(allowed[i].section, reader->section) == 0 && strstr(allowed[i].names, name)) return fits(reader, allowed[i].value, value);
  return false;
}

/* Takes a name in lower case. Returns its length; 0: there is none. */
static size_t take_name(const char *from, char name[MOST_NAME]) {
  size_t length = 0;
  for (; isalnum((unsigned char)from[length]) || from[length] == '-'; length++) {
    if (length == MOST_NAME - 1) return 0;
    name[length] = (char)tolower((unsigned char)from[length]);
  }
  name[length] = 0;
  return length;
}

/* [section] or [section "subsection"], and nothing behind it. */
static bool read_section(struct reader *reader, const char *line) {
  size_t length = take_name(line + 1, reader->section);
  const char *rest = line + 1 + length;
  reader->subsection[0] = 0;
  if (length == 0 || strcmp(rest, "]") == 0) return length > 0;
  size_t quoted = strncmp(rest, " \"", 2) ? 0 : strcspn(rest + 2, "\"");
  if (quoted == 0 || strcmp(rest + 2 + quoted, "\"]")) return false;
  memcpy(reader->subsection, rest + 2, quoted);
  reader->subsection[quoted] = 0;
  return true;
}

/* key = value */
static bool read_entry(const struct reader *reader, const char *line) {
  char name[MOST_NAME], between[MOST_NAME + 2];
  size_t length = take_name(line, name);
  const char *rest = line + length + strspn(line + length, " \t");
  if (length == 0 || *rest != '=' || strchr(rest, '"')) return false;
  rest++;
  snprintf(between, sizeof between, " %s ", name);
  return is_allowed(reader, between, rest + strspn(rest, " \t"));
}

static bool read_line(struct reader *reader, const char *line) {
  line += strspn(line, " \t");
  for (const char *at = line; *at; at++)
    if ((iscntrl((unsigned char)*at) && *at != '\t') || *at == '\\') return false;
  if (!*line || *line == '#' || *line == ';') return true;
  return *line == '[' ? read_section(reader, line) : read_entry(reader, line);
}

bool vt_git_config_is_plain(const struct vt_workspace *workspace, const char *text) {
  struct reader reader = {.workspace = workspace, .text = text};
  char line[MOST_LINE];
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    if (length >= sizeof line) return false;
    memcpy(line, text, length);
    line[length] = 0;
    if (!read_line(&reader, line)) return false;
  }
  return true;
}
