import { describe, expect, it } from 'vitest'
import { type Row, writes } from './projects.ts'

const first = 'git commit -q --allow-empty -m x'

/** The workspace holds a bare repository in `.bare`, which `.git` names, and its work trees `one` and `two`. */
const bare = `
${first}; git clone -q --bare . .bare; rm -rf .git; echo "gitdir: ./.bare" > .git
git worktree add -q one HEAD; git worktree add -q -b b two`

const rows: readonly Row[] = [
  { given: `${first}; git worktree add -q wt; git config core.hooksPath .githooks`, path: 'wt/.githooks' },
  {
    given: `${first}; git worktree add -q deep/wt; git config core.fsmonitor ./watch`,
    path: 'deep/wt/watch',
  },
  { given: `${first}; git worktree add -q deep/wt`, path: 'deep/wt/.git' },
  {
    given: `${first}; git worktree add -q wt; git config extensions.worktreeConfig true
git -C wt config --worktree filter.x.clean 'sh tools/f'; mkdir wt/tools`,
    path: 'wt/tools/f',
  },
  {
    given: `${first}; git worktree add -q wt; git config extensions.worktreeConfig true
git -C wt config --worktree core.hooksPath "$PWD/hooks"`,
    path: 'hooks/new',
  },
  {
    given: `${first}; git worktree add -q wt; d=$(git rev-parse --git-dir); echo ../../../wt/.git > $d/worktrees/wt/gitdir
git config core.hooksPath .githooks`,
    path: 'wt/.githooks',
  },
  { given: `${bare}; git config core.hooksPath .githooks`, path: 'one/.githooks' },
  { given: `${bare}; git config core.hooksPath .githooks`, path: 'two/.githooks' },
  { given: `${bare}; git config core.sshCommand ./ssh`, path: 'two/ssh' },
  { given: bare, path: '.bare/hooks/pre-commit' },
  { given: bare, path: 'one/.git' },
  { given: 'git init -q nested; git config --global core.hooksPath .githooks', path: 'nested/.githooks' },
  { given: 'git init -q nested; git config --global core.fsmonitor ./watch', path: 'nested/watch' },
  {
    given: `git init -q a/b; git -C a/b ${first.slice(4)}; git add a/b; git config --global diff.external 'sh x/y'; mkdir a/b/x`,
    path: 'a/b/x/y',
  },
  {
    given:
      'git init -q --separate-git-dir "$HOME/store" nested; git -C nested config core.hooksPath .githooks',
    path: 'nested/.githooks',
  },
  {
    given: 'git config core.worktree ../tools; git config core.hooksPath .githooks',
    path: 'tools/.githooks',
  },
  { given: 'git config core.hooksPath .githooks', path: '.git/.githooks' },
  { given: 'mv .git .store; ln -s .store .git; git config core.hooksPath .githooks', path: '.githooks' },
  {
    given: `mkdir -p "$HOME/dot"; ln -s "$PWD/tools" "$HOME/dot/hooks"; git config core.hooksPath "$HOME/dot/hooks"`,
    path: 'tools/pre-commit',
  },
  // A link on the way of a `.git` file.
  {
    given:
      'git init -q --separate-git-dir tools/store n; ln -s tools way; echo "gitdir: ../way/store" > n/.git; mkdir -p free/store',
    path: 'way/store/config',
    command: 'ln -sfn free way && echo x >> way/store/config',
  },
  {
    given:
      'git init -q --separate-git-dir "$HOME/store" n; ln -s "$HOME" way; echo "gitdir: ../way/store" > n/.git; mkdir free/store',
    path: 'way/store/config',
    command: 'ln -sfn free way && echo x >> way/store/config',
  },
]

describe.runIf(process.platform === 'linux')('a work tree of another layout', () => {
  it.each(rows)('keeps $path after $given', async (row) => {
    expect([await writes(row, 'workspace'), await writes(row, 'write')]).toEqual([false, true])
  })
})
