import { describe, expect, it } from 'vitest'
import { expectKept, type Row, rowsOf, writes } from './projects.ts'

/** Of git and of programs beside it; each names what a later command outside runs or obeys. */
const keys = `
pager.log: sh monitor
pager.log: ./monitor
remote.origin.uploadpack: ./monitor
remote.origin.receivepack: tools/clean.py
remote.a.b.uploadpack: ./monitor
gpg.ssh.defaultKeyCommand: ./monitor
gpg.program: ./monitor
core.alternateRefsCommand: ./monitor
submodule.x.update: !tools/clean.py
sendemail.smtpServer: ./monitor
sendemail.toCmd: tools/clean.py
difftool.x.path: ./monitor
difftool.x.cmd: tools/clean.py "$LOCAL"
mergetool.x.cmd: python3 tools/clean.py
imap.tunnel: ./monitor
man.x.path: ./monitor
browser.x.path: ./monitor
instaweb.httpd: ./monitor -f
lfs.customtransfer.x.path: ./monitor
lfs.customtransfer.x.args: tools/clean.py
lfs.extension.x.clean: ./monitor
gpg.ssh.allowedSignersFile: monitor
http.sslCAInfo: monitor
init.templateDir: tools
hook.x.command: ./monitor
trailer.x.command: ./monitor
uploadpack.packObjectsHook: ./monitor
gc.recentObjectsHook: ./monitor
alias.x: !tools/clean.py
alias.x: !cd free && sh ../monitor
unheard.of: some --option=tools/clean.py
unheard.of: "$PWD"/tools/clean.py
unheard.of: $(git rev-parse --show-toplevel)/tools/clean.py
unheard.of: \${HERE:-.}/tools/clean.py
unheard.of: PATH=./tools:$PATH x
filter.x.clean: "tools/a b" %f
filter.x.clean: tools/a\\ b %f
gpg.program: tools/a b
core.hooksPath: tools/a b
`
  .trim()
  .split('\n')
  .map((line) => line.split(/: (.*)/) as [string, string])

function written(value: string): string {
  const all = ['monitor', 'tools/a b', 'tools/clean.py'].find(
    (name) => value.includes(name) || value.includes(name.replace(' ', '\\ ')),
  )
  return all ?? 'tools/new'
}

const rows = keys.map(([key, value]): Row => {
  const path = written(value)
  return { given: `git config '${key}' '${value}'`, path, command: `echo x >> '${path}'` }
})

/** Names without a slash count where an executable file has one. */
const further = rowsOf(`
monitor: chmod 755 monitor; git config unheard.of 'do monitor'
monitor: chmod 755 monitor; git config alias.x 'do monitor'
monitor: chmod 755 monitor; git config core.editor 'do monitor'
tools/clean.py: git config unheard.of "file://$PWD/tools/clean.py"
`)

const harmless = rowsOf(`
tools/clean.py: git config remote.origin.url tools
tools/clean.py: git config remote.origin.url ./tools/clean.py
tools/clean.py: git config remote.origin.fetch tools/clean.py:x
tools/clean.py: git config remote.origin.pushurl "$PWD/tools"
tools/clean.py: git config branch.x.description tools/clean.py
tools/clean.py: git config user.signingKey tools/clean.py
tools/clean.py: git config --global safe.directory "$PWD/tools"
tools/clean.py: git config --global maintenance.repo "$PWD/tools"
tools/clean.py: git config gitflow.prefix.feature tools/
tools/clean.py: git config submodule.tools.url ./tools
tools/clean.py: git config lfs.fetchexclude tools/
tools/clean.py: git config url.x.insteadOf tools/
monitor: git config core.excludesFile monitor
monitor: git config init.defaultBranch monitor; chmod 755 monitor
tools/clean.py: git config alias.x "diff tools/"
tools/clean.py: git config alias.x "!git add tools/"
origin/main: git config alias.x "log origin/main"; mkdir origin
monitor: git config merge.tool monitor
nvim: git config difftool.x.path nvim
`)

describe.runIf(process.platform === 'linux')('a value of any key of git', () => {
  it.each([...rows, ...further])('protects $path: $given', expectKept)

  it.each(harmless)('that is data leaves $path open: $given', async (row) => {
    expect(await writes(row, 'workspace')).toBe(true)
  })
})

const first = 'git commit -q --allow-empty -m x'

/** The workspace holds a bare repository in `.bare`, which `.git` names, and its work trees `one` and `two`. */
const bare = `${first}; git clone -q --bare . .bare; rm -rf .git; echo "gitdir: ./.bare" > .git;
  git worktree add -q one HEAD; git worktree add -q -b b two`

const layouts = rowsOf(`
wt/.githooks: ${first}; git worktree add -q wt; git config core.hooksPath .githooks
deep/wt/watch: ${first}; git worktree add -q deep/wt; git config core.fsmonitor ./watch
deep/wt/.git: ${first}; git worktree add -q deep/wt
wt/tools/f: ${first}; git worktree add -q wt; git config extensions.worktreeConfig true;
  git -C wt config --worktree filter.x.clean 'sh tools/f'; mkdir wt/tools
hooks/new: ${first}; git worktree add -q wt; git config extensions.worktreeConfig true; git -C wt config --worktree core.hooksPath "$PWD/hooks"
wt/.githooks: ${first}; git worktree add -q wt; d=$(git rev-parse --git-dir); echo ../../../wt/.git > $d/worktrees/wt/gitdir;
  git config core.hooksPath .githooks
one/.githooks: ${bare}; git config core.hooksPath .githooks
two/.githooks: ${bare}; git config core.hooksPath .githooks
two/ssh: ${bare}; git config core.sshCommand ./ssh
.bare/hooks/pre-commit: ${bare}
one/.git: ${bare}
nested/.githooks: git init -q nested; git config --global core.hooksPath .githooks
nested/watch: git init -q nested; git config --global core.fsmonitor ./watch
a/b/x/y: git init -q a/b; git -C a/b ${first.slice(4)}; git add a/b; git config --global diff.external 'sh x/y'; mkdir a/b/x
nested/.githooks: git init -q --separate-git-dir "$HOME/store" nested; git -C nested config core.hooksPath .githooks
tools/.githooks: git config core.worktree ../tools; git config core.hooksPath .githooks
.git/.githooks: git config core.hooksPath .githooks
.githooks: mv .git .store; ln -s .store .git; git config core.hooksPath .githooks
tools/pre-commit: mkdir -p "$HOME/dot"; ln -s "$PWD/tools" "$HOME/dot/hooks"; git config core.hooksPath "$HOME/dot/hooks"
way/store/config: git init -q --separate-git-dir tools/store n; ln -s tools way; echo "gitdir: ../way/store" > n/.git; mkdir -p free/store
  => ln -sfn free way && echo x >> way/store/config
way/store/config: git init -q --separate-git-dir "$HOME/store" n; ln -s "$HOME" way; echo "gitdir: ../way/store" > n/.git; mkdir free/store
  => ln -sfn free way && echo x >> way/store/config
`)

describe.runIf(process.platform === 'linux')('a work tree of another layout', () => {
  it.each(layouts)('keeps $path after $given', expectKept)
})
