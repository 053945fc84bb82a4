import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Decision } from '../../src/base/types.ts'
import { gatherFacts } from '../../src/facts/gather.ts'
import { Lookup } from '../../src/facts/lookup.ts'
import { pathLookupHere } from '../../src/host/host.ts'
import { explainRepositoryUnreadable } from '../../src/messages/policy.ts'
import { repositoryProblems } from '../../src/messages/repository.ts'
import { decide } from '../../src/policy/decide/decide.ts'
import { factsNeeded, planRequest } from '../../src/policy/decide/plan.ts'
import { gitEnvironment } from '../helpers/git.ts'
import { presetRules } from '../policy/helper.ts'

/** A busy machine is no file system that hangs. */
const patientMs = 20_000
let root = ''
let repository = ''
let payload = ''
let trace = ''

/** Runs git as the author of a hostile repository, or the user who trusts one, would. */
function git(args: readonly string[], cwd = repository, env: Readonly<Record<string, string>> = {}): void {
  execFileSync('git', args, {
    cwd,
    stdio: 'ignore',
    env: {
      ...gitEnvironment(root),
      ...env,
    },
  })
}

async function decideIn(cwd: string, line: string): Promise<Decision> {
  const request = planRequest({ work: { kind: 'line', line }, mode: 'write', cwd, home: root })
  return decide(
    request,
    presetRules('default'),
    await gatherFacts(
      factsNeeded(request),
      { workspace: '', ownPaths: [], programPath: '', projects: [] },
      new Lookup(await pathLookupHere(), patientMs),
    ),
  )
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-git-')))
  repository = join(root, 'repository')
  trace = join(root, 'ran')
  payload = join(root, 'payload')
  mkdirSync(repository)
  // All it does is to leave a trace.
  writeFileSync(payload, `#!/bin/sh\necho ran >>'${trace}'\ncat "$@" 2>/dev/null\nexit 0\n`)
  chmodSync(payload, 0o755)
  git(['init', '-q', '.'])
  writeFileSync(join(repository, 'a.txt'), 'one\n')
  writeFileSync(join(repository, '.gitattributes'), '*.txt diff=evil filter=evil\n')
  git(['add', '.'])
  git(['commit', '-q', '-m', 'first'])
  writeFileSync(join(repository, 'a.txt'), 'two\n')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('a hostile repository', () => {
  /** Keys that make a command run the payload when nothing protects it, as measured here. */
  const running: readonly [key: string, command: string][] = [
    ['diff.external', 'git diff'],
    ['diff.evil.command', 'git diff'],
    ['diff.evil.textconv', 'git diff'],
    ['diff.evil.textconv', 'git log -p'],
    ['diff.evil.textconv', 'git show'],
    ['diff.evil.textconv', 'git blame a.txt'],
    ['filter.evil.clean', 'git diff'],
    ['filter.evil.clean', 'git status'],
  ]
  for (const [key, command] of running)
    it(`${command} is asked about because of ${key}, which does run the payload`, async () => {
      git(['config', key, payload])
      const decision = await decideIn(repository, command)
      expect(decision).toMatchObject({ verdict: 'ask', reason: expect.stringContaining(key) })
      expect(existsSync(trace)).toBe(false)
      git(command.split(' ').slice(1))
      expect(existsSync(trace)).toBe(true)
    })

  const named = [
    'filter.evil.smudge',
    'filter.evil.process',
    'filter.lfs.clean',
    'gpg.program',
    'gpg.ssh.program',
    'alias.status',
    'core.pager',
    'pager.log',
    'core.sshCommand',
    'core.editor',
    'protocol.ext.allow',
    'remote.origin.promisor',
    'remote.origin.uploadpack',
    'extensions.partialClone',
    'merge.evil.driver',
    'credential.helper',
    'interactive.diffFilter',
    'uploadpack.packObjectsHook',
    'trailer.x.command',
    'core.alternateRefsCommand',
    'core.gitProxy',
    'core.askPass',
    'remote.origin.vcs',
    'hook.x.command',
    'difftool.x.path',
    'sendemail.smtpServer',
    'init.templateDir',
    'core.worktree',
  ]
  for (const key of named)
    it(`git status is asked about because of ${key}`, async () => {
      git(['config', key, 'x'])
      expect(await decideIn(repository, 'git status')).toMatchObject({
        verdict: 'ask',
        reason: expect.stringMatching(new RegExp(key, 'i')),
      })
      expect((await decideIn(repository, 'ls')).verdict).toBe('allow')
    })

  it('is asked about because of what the files say that its configuration includes', async () => {
    for (const [name, text] of [
      ['one', '[include]\n\tpath = two\n'],
      ['two', '[user]\n\tname = a\n'],
    ] as const)
      writeFileSync(join(repository, '.git', name), text)
    git(['config', 'include.path', 'one'])
    git(['config', 'includeIf.onbranch:none.path', join(root, 'absent')])
    expect((await decideIn(repository, 'git status')).verdict).toBe('allow')
    writeFileSync(join(repository, '.git', 'two'), '[diff]\n\texternal = x\n')
    expect((await decideIn(repository, 'git diff')).reason).toContain('diff.external')
    writeFileSync(join(repository, '.git', 'two'), 'no configuration')
    expect((await decideIn(repository, 'git diff')).reason).toBe(
      explainRepositoryUnreadable(
        join(realpathSync(repository), '.git', 'two'),
        repositoryProblems.notConfiguration,
      ),
    )
    writeFileSync(join(repository, '.git', 'two'), '[include]\n\tpath = ~/x\n')
    expect((await decideIn(repository, 'git status')).reason).toContain('include.path')
  })

  it('is asked about when its configuration includes too many files', async () => {
    const includes = Array.from({ length: 101 }, (_, at) => `[include]\n\tpath = ${at}\n`)
    appendFileSync(join(repository, '.git', 'config'), includes.join(''))
    expect((await decideIn(repository, 'git status')).reason).toContain(repositoryProblems.tooManyIncludes)
  })

  it('is not one by what git and its users write there', async () => {
    for (const [key, value] of [
      ['user.email', 'a@example.com'],
      ['remote.origin.url', 'https://example.com/a.git'],
      ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
      ['branch.main.remote', 'origin'],
      ['branch.main.merge', 'refs/heads/main'],
      ['core.autocrlf', 'input'],
      ['core.hooksPath', '.husky'],
      ['core.fsmonitor', 'true'],
      ['pull.rebase', 'true'],
      ['diff.algorithm', 'histogram'],
      ['filter.lfs.clean', 'git-lfs clean -- %f'],
      ['filter.lfs.smudge', 'git-lfs smudge -- %f'],
      ['filter.lfs.process', 'git-lfs filter-process'],
      ['filter.lfs.required', 'true'],
      ['submodule.lib.url', 'https://example.com/lib.git'],
      ['submodule.lib.active', 'true'],
      ['gc.auto', '0'],
      ['remote.tool.url', 'codecommit::eu-west-1://x'],
      ['core.worktree', repository],
      ['commit.gpgsign', 'false'],
    ] as const)
      git(['config', key, value])
    expect((await decideIn(repository, 'git status')).verdict).toBe('allow')
    expect((await decideIn(repository, 'git diff && git log -p')).verdict).toBe('allow')
  })

  it('is one by its hooks and its fsmonitor only in a line that does more than look', async () => {
    git(['config', 'core.fsmonitor', payload])
    expect((await decideIn(repository, 'git status')).verdict).toBe('allow')
    expect((await decideIn(repository, 'git status; make')).matches).toContainEqual(
      expect.objectContaining({
        rule: 'repository configuration',
        why: expect.stringContaining('core.fsmonitor'),
      }),
    )
  })

  it('is found from a directory inside it, through -C, cd, a worktree and a .git file', async () => {
    git(['worktree', 'add', '-q', join(root, 'tree')])
    git(['config', 'diff.external', payload])
    mkdirSync(join(repository, 'deep', 'er'), { recursive: true })
    mkdirSync(join(root, 'other'))
    writeFileSync(join(root, 'other', '.git'), `gitdir: ../repository/.git\n`)
    for (const [cwd, line] of [
      [join(repository, 'deep', 'er'), 'git diff'],
      [root, 'git -C repository diff'],
      [root, 'git -C repository/deep -C er diff'],
      [root, 'cd repository && git diff'],
      [root, 'cd repository; git diff'],
      [root, '(cd repository/deep && git diff)'],
      [join(root, 'tree'), 'git diff'],
      [join(root, 'other'), 'git diff'],
      [join(repository, '.git'), 'git log'],
      [root, 'git -C "$D" diff'],
    ] as const)
      expect((await decideIn(cwd, line)).verdict, line).toBe('ask')
    expect((await decideIn(join(root, 'tree'), 'git diff')).reason).toContain('diff.external')
  })

  it('is found as a bare repository that stands inside another', async () => {
    const bare = join(repository, 'bare')
    git(['init', '-q', '--bare', bare])
    git(['config', 'core.pager', payload], bare)
    expect((await decideIn(bare, 'git log')).reason).toContain('core.pager')
    expect((await decideIn(repository, 'git -C bare log')).reason).toContain('core.pager')
  })

  it('is asked about when its configuration cannot be read', async () => {
    const config = join(repository, '.git', 'config')
    for (const text of ['not a config', '[core\n', `${' '.repeat(1_100_000)}`]) {
      writeFileSync(config, text)
      expect(await decideIn(repository, 'git status')).toMatchObject({
        verdict: 'ask',
        reason: expect.stringContaining(config),
      })
    }
    rmSync(config)
    execFileSync('mkfifo', [config])
    expect((await decideIn(repository, 'git status')).verdict).toBe('ask')
  })

  it('is none where a directory merely has a file called config', async () => {
    const plain = join(root, 'plain')
    mkdirSync(plain)
    writeFileSync(join(plain, 'config'), 'a: b\n')
    expect((await decideIn(plain, 'git status')).verdict).toBe('allow')
  })

  it('hides nothing in a configuration of one worktree', async () => {
    git(['config', 'extensions.worktreeConfig', 'true'])
    git(['config', '--worktree', 'diff.external', payload])
    expect((await decideIn(repository, 'git diff')).reason).toContain('diff.external')
  })

  /** Each moves the git directory to where it is only found as git finds it; from there `git diff` runs the payload. */
  const hidden: Readonly<Record<string, () => void>> = {
    'behind a link and ..': () => {
      linkTo('sub/deep')
      renameSync(join(repository, '.git'), join(repository, 'sub', 'g'))
      writeFileSync(join(repository, '.git'), 'gitdir: link/../g\n')
    },
    'as a common directory behind a link and ..': () => {
      linkTo('sub/deep')
      renameSync(join(repository, '.git'), join(repository, 'sub', 'g'))
      mkdirSync(join(repository, '.git'))
      for (const name of ['HEAD', 'index'])
        renameSync(join(repository, 'sub', 'g', name), join(repository, '.git', name))
      writeFileSync(join(repository, 'sub', 'g', 'HEAD'), 'ref: refs/heads/x\n')
      writeFileSync(join(repository, '.git', 'commondir'), '../link/../g\n')
    },
    'in a directory whose name is not Unicode': () => {
      mkdirSync(oddly('odd'))
      renameSync(join(repository, '.git'), oddly('odd', '/g'))
      writeFileSync(join(repository, '.git'), Buffer.from('gitdir: odd\xff/g\n', 'latin1'))
    },
  }
  const linkTo = (target: string) => {
    mkdirSync(join(repository, target), { recursive: true })
    symlinkSync(target, join(repository, 'link'))
  }
  const oddly = (name: string, below = '') =>
    Buffer.concat([Buffer.from(join(repository, name)), Buffer.of(0xff), Buffer.from(below)])

  for (const [where, hide] of Object.entries(hidden))
    it(`hides nothing ${where}`, async () => {
      git(['config', 'diff.external', payload])
      hide()
      expect((await decideIn(repository, 'git diff')).verdict).toBe('ask')
      expect(existsSync(trace)).toBe(false)
      git(['diff'])
      expect(existsSync(trace)).toBe(true)
    })

  it('is found behind a name that is not Unicode, and where sh goes back from a link', async () => {
    git(['config', 'diff.external', payload])
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.of(0xff)])
    cpSync(repository, join(root, 'copy'), { recursive: true })
    renameSync(join(root, 'copy'), odd)
    symlinkSync(Buffer.of(0xff), join(root, 'led'))
    expect((await decideIn(root, 'git -C led diff')).verdict).toBe('ask')
    mkdirSync(join(root, 'benign', 'sub'), { recursive: true })
    symlinkSync('../benign/sub', join(repository, 'link'))
    for (const line of ['cd repository/link/.. && git diff', 'cd repository/link; cd ..; git diff']) {
      expect((await decideIn(root, line)).verdict, line).toBe('ask')
      rmSync(trace, { force: true })
      execFileSync('sh', ['-c', line], { cwd: root, stdio: 'ignore', env: { PATH: process.env['PATH'] } })
      expect(existsSync(trace), line).toBe(true)
    }
  })

  it('is one as soon as the key is there: nothing is remembered', async () => {
    expect((await decideIn(repository, 'git diff')).verdict).toBe('allow')
    git(['config', 'diff.external', payload])
    expect((await decideIn(repository, 'git diff')).verdict).toBe('ask')
    renameSync(join(repository, '.git'), join(root, 'gone'))
    expect((await decideIn(repository, 'git diff')).verdict).toBe('allow')
  })
})
