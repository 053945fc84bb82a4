/* Which configuration a command may give to a git directory that it makes. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "test/check.h"
#include "workspace/workspace.h"

#define ORIGIN "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.org/a.git\n"

static const char *const plain[] = {
    "",
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
    "# a\n\n  ; b\n[CORE]\n\tFileMode=true\n[user]\n\tname = \xc3\x85 B, Jr.\n\temail = a@b\n",
    ORIGIN "\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"a/b\"]\n\tremote = origin\n\tmerge = refs/heads/a/b\n",
    ORIGIN "\tpromisor = true\n\tpartialclonefilter = blob:none\n[extensions]\n\tpartialclone = origin\n\tobjectformat = sha256\n",
    "[branch \"b\"]\n\tremote = .\n\trebase = true\n",
    "[remote \"a\"]\n\turl = git@example.org:a/b.git\n\tpushurl = ssh://git@example.org:22/a\n\turl = file:///srv/a\n\turl = /srv/a\n",
    "[remote \"a\"]\n\turl = /home/u/project-2\n\turl = /home/u/project/tmp/x\n\turl = /home/u/project/../x/./y//z\n\turl = /../srv/a/\n",
};

static const char *const others[] = {
    "[core]\n\tfsmonitor = ./x\n",
    "[core]\n\tfsmonitor = true\n",
    "[core] fsmonitor = ./x\n",
    "[core]\n\thooksPath = x\n",
    "[core]\n\tworktree = /\n",
    "[core]\n\tsshCommand = x\n",
    "[core]\n\tbare\n",
    "[core]\n\tbare = fal\\\nse\n\tfsmonitor = x\n",
    "[core]\n\tbare = \"false\n\"\n",
    "[core]\n\tbare = false # x\n",
    "[core]\n\tbare = false\r\n",
    "[core]\n\tautocrlf = a/b\n",
    "[core \"x\"]y\n",
    "[core.x]\n\tbare = false\n",
    "bare = false\n",
    "[alias]\n\tst = !x\n",
    "[alias]\n\tst = status\n",
    "[include]\n\tpath = x\n",
    "[includeIf \"gitdir:/\"]\n\tpath = x\n",
    "[filter \"a\"]\n\tclean = x\n",
    "[diff]\n\texternal = x\n",
    "[credential]\n\thelper = x\n",
    "[url \"ext::x\"]\n\tinsteadOf = https://\n",
    "[extensions]\n\tworktreeConfig = true\n",
    "[submodule \"a\"]\n\tupdate = !x\n",
    "[remote \"a\"]\n\tvcs = x\n",
    "[remote \"a\"]\n\tuploadpack = x\n",
    "[remote \"a\"]\n\turl = ext::sh -c x\n",
    "[remote \"a\"]\n\turl = x://a\n",
    "[remote \"a\"]\n\turl = -x:a\n",
    "[remote \"a\"]\n\turl = \n",
    "[remote \"a\"]\n\turl = x\n",
    "[remote \"a\"]\n\turl = ../x\n",
    "[remote \"a\"]\n\turl = /home/u/project/x\n",
    "[remote \"a\"]\n\turl = /home/u/project/\n",
    "[remote \"a\"]\n\turl = /home/u/project#x\n",
    "[remote \"a\"]\n\turl = /home/u/project/link/../../../srv/a\n",
    "[remote \"a\"]\n\turl = /dev/./fd/0\n",
    "[remote \"a\"]\n\turl = /home/u//project/x\n",
    "[remote \"a\"]\n\turl = /home/../home/u/project/x\n",
    "[remote \"a\"]\n\turl = file:///home/u/project/x\n",
    "[remote \"a\"]\n\turl = file://host/home/u/project/x\n",
    "[remote \"a\"]\n\turl = /proc/self/cwd/x\n",
    "[remote]\n\tpushDefault = x\n",
    "[branch \"b\"]\n\tremote = x\n",
    "[branch \"b\"]\n\tpushRemote = x\n",
    "[remote \"x\"]\n\tfetch = a\n# [remote \"y\"]\n\turl = /srv/a\n[branch \"b\"]\n\tremote = y\n",
    "[remote \"x\"]\n\tpromisor = true\n",
    "[extensions]\n\tpartialclone = x\n",
    ORIGIN "[branch \"b\"]\n\tremote = origin#\n",
};

static struct vt_workspace_root roots[] = {{.path = "/home/u/project"}, {.path = "/home/u/project/tmp", .is_private = true}};
static const struct vt_workspace workspace = {.count = 2, .roots = roots};

int main(void) {
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) CHECK(vt_git_config_is_plain(&workspace, plain[i]), "plain: %s", plain[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    CHECK(!vt_git_config_is_plain(&workspace, others[i]), "not plain: %s", others[i]);
  char line[5000] = "[user]\n\tname = ";
  memset(line + strlen(line), 'a', 4000);
  CHECK(!vt_git_config_is_plain(&workspace, line), "a line that is too long");
  return finish("test_git_config");
}
