import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../../../helpers/place.ts'
import { words } from '../../../helpers/words.ts'
import { expectKept, makeProject, type Row, rowsOf, writes } from './projects.ts'

/** Of git and of programs beside it: a later command outside runs what they name. */
const programs = words(`
  remote.origin.uploadpack remote.origin.receivepack remote.a.b.uploadpack gpg.ssh.defaultKeyCommand gpg.program
  core.alternateRefsCommand sendemail.smtpServer sendemail.toCmd difftool.x.path man.x.path browser.x.path imap.tunnel
  lfs.customtransfer.x.path lfs.customtransfer.x.args lfs.extension.x.clean hook.x.command trailer.x.command
  uploadpack.packObjectsHook gc.recentObjectsHook pager.log
`)

const data = words(`
  remote.origin.url remote.origin.fetch remote.origin.pushurl branch.x.description user.signingKey safe.directory
  maintenance.repo gitflow.prefix.feature submodule.tools.url lfs.fetchexclude url.x.insteadOf user.name
`)

/** Those of the keys whose file a command can make. */
async function madeIn(mode: 'workspace' | 'write', keys: readonly string[]): Promise<readonly string[]> {
  const { cwd, home } = makeProject(keys.map((key) => `git config ${key} ./tools/${key}`).join('; '))
  const shell = await openTestShell({
    cwd,
    mode,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') },
  })
  await shell.execute({ command: `for key in ${keys.join(' ')}; do echo x > tools/$key; done` })
  return keys.filter((key) => existsSync(join(cwd, 'tools', key)))
}

/** Other forms of the value. */
const keys = `
pager.log: sh monitor
submodule.x.update: !tools/clean.py
difftool.x.cmd: tools/clean.py "$LOCAL"
mergetool.x.cmd: python3 tools/clean.py
instaweb.httpd: ./monitor -f
gpg.ssh.allowedSignersFile: monitor
http.sslCAInfo: monitor
init.templateDir: tools
alias.x: !tools/clean.py
alias.x: !cd free && sh ../monitor
unheard.of: some --option=tools/clean.py
unheard.of: "$PWD"/tools/clean.py
unheard.of: $(git rev-parse --show-toplevel)/tools/clean.py
unheard.of: \${HERE:-.}/tools/clean.py
unheard.of: PATH=./tools:$PATH x
unheard.of: some @tools/clean.py
unheard.of: some --files=README,tools/clean.py
unheard.of: cat tools/*.py
filter.x.clean: "tools/a b" %f
filter.x.clean: tools/a\\ b %f
gpg.program: tools/a b
core.hooksPath: tools/a b
`
  .trim()
  .split('\n')
  .map((line) => line.split(/: (.*)/) as [string, string])

function written(value: string): string {
  const all = ['monitor', 'tools/a b', 'tools/clean.py'].find((name) =>
    [name, name.replace(' ', '\\ '), name.replace('clean', '*')].some((each) => value.includes(each)),
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
monitor: git config core.excludesFile monitor
monitor: git config init.defaultBranch monitor; chmod 755 monitor
monitor: git config alias.x "!sh monitor"
tools/clean.py: git config alias.x "diff tools/"
tools/clean.py: git config alias.x "!git add tools/"
origin/main: git config alias.x "log origin/main"; mkdir origin
monitor: git config merge.tool monitor
nvim: git config difftool.x.path nvim
hooks/new: git config core.bare false
`)

describe.runIf(process.platform === 'linux')('a value of any key of git', () => {
  it('protects what it names, unless that is data', async () => {
    const made = [await madeIn('workspace', programs), await madeIn('workspace', data)]
    expect([...made, await madeIn('write', programs)]).toEqual([[], data, programs])
  })

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
