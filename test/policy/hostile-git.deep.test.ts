import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { FoundEntry } from '../../src/facts/facts.ts'
import { dangerousEntry, entriesActedOn } from '../../src/policy/decide/repositories.ts'
import { gitEnvironment } from '../helpers/git.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

let root = ''
let repository = ''
let payload = ''
let trace = ''

/** Git without any of vitrine's settings. */
function git(args: readonly string[], cwd = repository): void {
  execFileSync('git', args, { cwd, stdio: 'ignore', env: gitEnvironment(root) })
}

beforeEach(() => {
  root = makeDirectory()
  repository = join(root, 'repository')
  trace = join(root, 'ran')
  payload = join(root, 'payload')
  mkdirSync(repository)
  // Its only effect is the trace file.
  writeFileSync(payload, `#!/bin/sh\necho ran >>'${trace}'\ncat "$@" 2>/dev/null\nexit 0\n`)
  chmodSync(payload, 0o755)
  writeFileSync(join(root, '.gitconfig'), '[user]\n\tname = a\n\temail = a@example.com\n')
  git(['init', '-q', '-b', 'main', '.'])
  commitFile(repository, 'a.txt')
})

function commitFile(directory: string, name: string): void {
  writeFileSync(join(directory, name), 'one\n')
  git(['add', '.'], directory)
  git(['commit', '-q', '-m', 'first'], directory)
  writeFileSync(join(directory, name), 'two\n')
  // Git writes an index that is older than a file of it again, which runs post-index-change.
  const index = join(directory, '.git', 'index')
  if (existsSync(index)) utimesSync(index, 1e9, 1e9)
}

function hook(directory: string, name: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, name), `#!/bin/sh\nexec '${payload}'\n`, { mode: 0o755 })
}

/** A gitlink in the index of the outer repository, with no entry in .gitmodules. */
function embed(path = 'nested'): string {
  const nested = join(repository, path)
  mkdirSync(nested, { recursive: true })
  git(['init', '-q', '-b', 'main', '.'], nested)
  commitFile(nested, 'n.txt')
  git(['add', path])
  git(['commit', '-q', '-m', 'nested'])
  return nested
}

/** Its git directory stands in .git/modules of the outer repository. */
function submodule(): string {
  const nested = embed('sub')
  mkdirSync(join(repository, '.git', 'modules'))
  renameSync(join(nested, '.git'), join(repository, '.git', 'modules', 'sub'))
  writeFileSync(join(nested, '.git'), 'gitdir: ../.git/modules/sub\n')
  git(['config', 'core.worktree', '../../../sub'], nested)
  writeFileSync(join(repository, '.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = ./x\n')
  git(['add', '.gitmodules'])
  git(['commit', '-q', '-m', 'modules'])
  return nested
}

function filterIn(directory: string, gitDirectory = join(directory, '.git')): void {
  mkdirSync(join(gitDirectory, 'info'), { recursive: true })
  writeFileSync(join(gitDirectory, 'info', 'attributes'), '*.txt filter=evil diff=evil\n')
  git(['config', 'filter.evil.clean', payload], directory)
}

/** The line in write mode, where a question is answered with no. Whether the repository's code ran. */
async function run(
  command: string,
  {
    allow = [],
    cwd = repository,
    policy = 'unattended = "deny"',
  }: { readonly allow?: readonly string[]; readonly cwd?: string; readonly policy?: string } = {},
): Promise<'asked' | 'ran' | 'protected'> {
  rmSync(trace, { force: true })
  const toml = `[policy]\n${policy}\nallow = ${JSON.stringify(allow)}\n`
  const shell = await openTestShell({ toml, cwd, mode: 'write', env: gitEnvironment(root) })
  const refused = await shell.execute({ command }).then(
    () => false,
    (error: { code?: string }) => {
      if (error.code !== 'NOT_APPROVED') throw error
      return true
    },
  )
  if (existsSync(trace)) return 'ran'
  return refused ? 'asked' : 'protected'
}

/** The attack works on git without protection. */
function expectRuns(line: string, cwd = repository): void {
  rmSync(trace, { force: true })
  execFileSync('sh', ['-c', line], { cwd, stdio: 'ignore', env: gitEnvironment(root) })
  expect(existsSync(trace), `${line} without protection`).toBe(true)
}

describe('an allow rule of the user', () => {
  const attacks: Readonly<Record<string, () => void>> = {
    'core.fsmonitor': () => git(['config', 'core.fsmonitor', payload]),
    'the hook post-index-change': () => hook(join(repository, '.git', 'hooks'), 'post-index-change'),
    'a hook in core.hooksPath': () => {
      hook(join(repository, 'hooks'), 'post-index-change')
      git(['config', 'core.hooksPath', 'hooks'])
    },
    'log.showSignature with gpg.program': () => {
      git(['config', 'core.fsmonitor', payload])
      git(['config', 'log.showSignature', 'true'])
    },
  }
  for (const [name, prepare] of Object.entries(attacks)) {
    it(`for git status leaves it protected from ${name}`, async () => {
      prepare()
      expect(await run('git status', { allow: ['git status'] })).toBe('protected')
      expect(await run('git status && git diff', { allow: ['git'] })).toBe('protected')
      expectRuns('git status')
    })

    it(`for another command of the line leaves git status protected from ${name}`, async () => {
      prepare()
      for (const allow of [['mkdir'], ['mkdir', 'git status'], ['mkdir', 'git']])
        expect(await run('git status; mkdir x', { allow }), allow.join()).toBe('asked')
    })

    it(`for git add asks because of ${name}`, async () => {
      prepare()
      expect(await run('git add a.txt', { allow: ['git add'] })).toBe('asked')
      expectRuns('git add a.txt')
    })
  }

  it('lets hooks that git status does not run stand, and asks where the subcommand runs them', async () => {
    hook(join(repository, '.git', 'hooks'), 'pre-commit')
    expect(await run('git status; mkdir x', { allow: ['mkdir'] })).toBe('protected')
    expect(await run('git add a.txt', { allow: ['git add'] })).toBe('protected')
    expect(await run('git commit -m x', { allow: ['git commit'] })).toBe('asked')
  })

  it('lets the hooks run that it names by their absolute path', async () => {
    const hooks = join(repository, '.git', 'hooks')
    hook(hooks, 'pre-commit')
    git(['add', '.'])
    expect(await run('git commit -m x', { allow: ['git commit', join(hooks, 'pre-commit')] })).toBe('ran')
    expect(await run('git commit -m x', { allow: ['git commit', hooks] })).toBe('ran')
    expect(await run('git commit -m x', { allow: ['git commit', join(hooks, 'pre')] })).toBe('asked')
  })
})

describe.each(['unattended = "allow"', 'preset = "open"', 'auto_confirm = true'])(
  'where nothing is asked (%s)',
  (policy) => {
    it.each([
      ['core.fsmonitor', () => git(['config', 'core.fsmonitor', payload])],
      ['the hook post-index-change', () => hook(join(repository, '.git', 'hooks'), 'post-index-change')],
      [
        'core.fsmonitor of a nested repository',
        () => {
          const nested = embed()
          git(['config', 'diff.submodule', 'diff'])
          git(['config', 'core.fsmonitor', payload], nested)
        },
      ],
    ])('git looks, and runs nothing because of %s', async (_, prepare) => {
      prepare()
      for (const line of [
        'git status',
        'git status; mkdir -p x',
        'git diff; umask 022',
        'mkdir -p x && git -C . diff --stat | cat',
        'eval "git status"',
      ])
        expect(await run(line, { policy }), line).toBe('protected')
      expectRuns('git status && git diff')
    })

    it('git shows a merge, and runs no merge driver', async () => {
      git(['config', 'merge.evil.driver', payload])
      git(['config', 'log.diffMerges', 'remerge'])
      writeFileSync(join(repository, '.gitattributes'), 'a.txt merge=evil\n')
      git(['commit', '-qam', 'ours'])
      git(['checkout', '-qb', 'other', 'HEAD~'])
      writeFileSync(join(repository, 'a.txt'), 'three\n')
      git(['commit', '-qam', 'theirs'])
      git(['merge', '-q', '-s', 'ours', 'main'])
      for (const line of ['git log -m -p -1', 'git show --diff-merges=on', 'git show -m; mkdir -p x'])
        expect(await run(line, { policy }), line).toBe('protected')
      expectRuns('git log -m -p -1')
    })

    it('a filter that git needs to read files does not run without an approver', async () => {
      filterIn(repository)
      for (const line of ['git status', 'git status; mkdir -p x', 'mkdir -p x && git diff'])
        expect(await run(line, { policy }), line).toBe('asked')
      expect(await run('git status', { policy, allow: ['git'] })).toBe('asked')
      expect(await run('git log -1; ls', { cwd: root, policy })).toBe('protected')
      expect(await run('git add a.txt', { policy })).toBe('ran')
    })

    it('a filter that an allow rule names runs', async () => {
      filterIn(repository)
      expect(await run('git status', { policy, allow: [payload] })).toBe('ran')
    })

    it('settings that a looking git does not act on ask nothing', async () => {
      git(['config', 'credential.helper', 'store'])
      git(['config', 'alias.st', 'status'])
      expect(await run('git status; mkdir -p x', { policy })).toBe('protected')
    })

    it('a partial clone is asked about where it names a program to fetch with', async () => {
      git(['config', 'remote.origin.promisor', 'true'])
      expect(await run('git status; mkdir -p x', { policy })).toBe('protected')
      git(['config', 'core.sshCommand', payload])
      expect(await run('git status; mkdir -p x', { policy })).toBe('asked')
    })
  },
)

describe('a repository inside the repository', () => {
  const places: Readonly<
    Record<string, () => { readonly directory: string; readonly gitDirectory: string }>
  > = {
    'embedded as a gitlink': () => ({
      directory: embed(),
      gitDirectory: join(repository, 'nested', '.git'),
    }),
    'embedded in a deep directory': () => ({
      directory: embed('deep/er/nested'),
      gitDirectory: join(repository, 'deep/er/nested/.git'),
    }),
    'that is a submodule': () => ({
      directory: submodule(),
      gitDirectory: join(repository, '.git', 'modules', 'sub'),
    }),
  }
  for (const [name, prepare] of Object.entries(places)) {
    it(`${name} runs no filter on git status and git diff`, async () => {
      const { directory, gitDirectory } = prepare()
      expect(await run('git status')).toBe('protected')
      filterIn(directory, gitDirectory)
      for (const line of ['git status', 'git diff --stat', 'git diff', 'git status -s'])
        expect(await run(line), line).toBe('asked')
      expect(await run('git status', { allow: ['git'] })).toBe('asked')
      expectRuns('git status')
    })

    it(`${name} runs no diff.external where diff.submodule is diff`, async () => {
      const { directory } = prepare()
      git(['config', 'diff.submodule', 'diff'])
      expect(await run('git diff')).toBe('protected')
      git(['config', 'diff.external', payload], directory)
      expect(await run('git diff')).toBe('asked')
      expect(await run('git log -p')).toBe('asked')
      expectRuns('git diff')
    })

    it(`${name} runs neither its fsmonitor nor its hooks`, async () => {
      const { directory, gitDirectory } = prepare()
      git(['config', 'core.fsmonitor', payload], directory)
      hook(join(gitDirectory, 'hooks'), 'post-index-change')
      expect(await run('git status')).toBe('protected')
      expect(await run('git status; mkdir x', { allow: ['mkdir'] })).toBe('asked')
      expectRuns('git status')
    })
  }

  it('that is only in history runs nothing on git log -p with diff.submodule', async () => {
    const nested = embed()
    git(['rm', '-q', '--cached', 'nested'])
    git(['commit', '-q', '-m', 'no more'])
    git(['config', 'diff.submodule', 'diff'])
    git(['config', 'diff.external', payload], nested)
    expect(await run('git log -p')).toBe('protected')
    expect(await run('git log -p; mkdir x', { allow: ['mkdir'] })).toBe('asked')
    expectRuns('git log -p')
  })

  it('inside a repository inside the repository is looked at, too', async () => {
    const inner = join(embed(), 'inner')
    mkdirSync(inner)
    git(['init', '-q', '-b', 'main', '.'], inner)
    commitFile(inner, 'i.txt')
    git(['add', 'inner'], join(repository, 'nested'))
    filterIn(inner)
    expect(await run('git status')).toBe('asked')
    expectRuns('git status')
  })

  it.each([
    ['a split index', () => git(['update-index', '--split-index'])],
    ['index version 4', () => git(['update-index', '--index-version', '4'])],
    [
      'index version 3',
      () => {
        writeFileSync(join(repository, 'later'), '')
        git(['add', '-N', 'later'])
      },
    ],
  ])('is found in %s', async (_, prepare) => {
    const nested = embed()
    prepare()
    filterIn(nested)
    expect(await run('git status')).toBe('asked')
    expectRuns('git status')
  })

  it('is found in a repository with SHA-256 names', async () => {
    rmSync(join(repository, '.git'), { recursive: true })
    git(['init', '-q', '-b', 'main', '--object-format=sha256', '.'])
    commitFile(repository, 'a.txt')
    const nested = join(repository, 'nested')
    mkdirSync(nested)
    git(['init', '-q', '-b', 'main', '--object-format=sha256', '.'], nested)
    commitFile(nested, 'n.txt')
    git(['add', 'nested'])
    filterIn(nested)
    expect(await run('git status')).toBe('asked')
    expectRuns('git status')
  })

  it('is found from a linked worktree of the outer one', async () => {
    embed()
    const tree = join(root, 'tree')
    git(['worktree', 'add', '-q', tree])
    const nested = join(tree, 'nested')
    git(['init', '-q', '-b', 'main', '.'], nested)
    commitFile(nested, 'n.txt')
    filterIn(nested)
    expect(await run('git status', { cwd: tree })).toBe('asked')
    expectRuns('git status', tree)
  })

  it('is asked about when the index that may name it cannot be read', async () => {
    appendFileSync(join(repository, '.git', 'sharedindex.0000'), 'not an index \0\0\xe0\0', 'latin1')
    expect(await run('git status')).toBe('asked')
  })
})

describe('every key that git knows', () => {
  /** Lines of the safe list that come near to what keys name. */
  const lines = [
    ...[
      'status',
      'status -s',
      'diff',
      'diff --stat',
      'diff --cached',
      'diff HEAD~1',
      'diff-files -p',
      'diff-index -p HEAD',
    ],
    ...[
      'log -p',
      'log --oneline',
      'log --graph',
      'log --all --decorate',
      'show',
      'show HEAD:a.txt',
      'show v1',
    ],
    ...[
      'shortlog',
      'blame a.txt',
      'grep one',
      'branch',
      'branch -vv',
      'tag',
      'tag -n5',
      'for-each-ref',
      'reflog',
    ],
    ...[
      'describe --tags',
      'cat-file -p HEAD',
      'ls-files -m',
      'ls-files -o',
      'ls-tree -r HEAD',
      'rev-list --objects HEAD',
    ],
    ...[
      'stash list -p',
      'stash show',
      'worktree list',
      'remote -v',
      'config --list',
      'var -l',
      'count-objects -v',
    ],
  ].map((words) => `git ${words}`)

  function keysOfGit(): readonly string[] {
    const listed = execFileSync('git', ['help', '--config-for-completion'], { encoding: 'utf8' })
    const known = listed.split('\n').filter((key) => /^[a-zA-Z]+\.[^_]*$/.test(key))
    return known.flatMap((key) => (key.endsWith('.') ? subkeys.map((name) => `${key}evil.${name}`) : [key]))
  }

  const subkeys = [
    ...[
      'command',
      'textconv',
      'clean',
      'smudge',
      'process',
      'driver',
      'cmd',
      'path',
      'program',
      'helper',
      'url',
      'insteadOf',
    ],
    ...[
      'pushInsteadOf',
      'uploadpack',
      'receivepack',
      'vcs',
      'promisor',
      'ignore',
      'update',
      'proxy',
      'sort',
      'pager',
      'required',
    ],
  ]

  const config = () => join(repository, '.git', 'config')

  beforeEach(() => {
    git(['tag', '-a', 'v1', '-m', 'tagged'])
    git(['stash'])
    commitFile(repository, 'b.txt')
    filterAttributes()
  })

  /** Gives those keys the payload with which git still works: a number or a truth value cannot name a program. */
  function setAll(isMeant: (entry: FoundEntry) => boolean): readonly string[] {
    const before = readFileSync(config(), 'utf8')
    const all = ['status', 'diff', 'log -p -1', 'branch', 'tag', 'grep one', 'blame a.txt', 'reflog']
      .map((words) => `git ${words}`)
      .join(' && ')
    const working = keysOfGit().filter((key) => {
      if (!isMeant({ key: lowered(key), value: payload, file: config() })) return false
      git(['config', '--file', config(), key, payload])
      const env = gitEnvironment(root)
      const reading = spawnSync('sh', ['-c', all], { cwd: repository, env, stdio: 'ignore' })
      writeFileSync(config(), before)
      return reading.status === 0
    })
    for (const key of working) git(['config', '--file', config(), key, payload])
    return working
  }

  it('is asked about, or runs nothing on any line of the safe list', { timeout: 300_000 }, async () => {
    expect(keysOfGit().length).toBeGreaterThan(500)
    expect(setAll((entry) => !dangerousEntry([entry], true)).length).toBeGreaterThan(100)
    for (const line of lines) expect(await run(line), line).toBe('protected')
  })

  it('is asked about, or runs nothing on such a line in a longer one where nothing else is asked', {
    timeout: 300_000,
  }, async () => {
    const isPassed = (entry: FoundEntry) =>
      !/promisor|partialclone/.test(entry.key) &&
      dangerousEntry([entry], false) !== undefined &&
      entriesActedOn([entry]).length === 0
    expect(setAll(isPassed).length).toBeGreaterThan(30)
    const line = `${lines.join('; ')}; umask 022`
    expect(await run(line, { policy: 'preset = "open"' })).toBe('protected')
  })

  function filterAttributes(): void {
    writeFileSync(join(repository, '.git', 'info', 'attributes'), '* filter=evil diff=evil merge=evil\n')
  }

  function lowered(key: string): string {
    const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
    return key.slice(0, first).toLowerCase() + key.slice(first, last) + key.slice(last).toLowerCase()
  }
})
