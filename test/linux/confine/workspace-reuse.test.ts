import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Shell } from '../../../src/index.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

/** A repository with files that commands may change, beside a directory that they may not change. */
function makePlace() {
  const parent = makeDirectory()
  const [work, outside] = [join(parent, 'work'), join(parent, 'outside')]
  for (const path of [join(work, 'deep/sub'), join(work, '.vscode'), join(work, '.github'), outside])
    mkdirSync(path, { recursive: true })
  execFileSync('git', ['init', '-q', work])
  for (const path of ['plain', 'deep/plain', '.vscode/settings.json'])
    writeFileSync(join(work, path), 'kept\n')
  writeFileSync(join(outside, 'file'), 'kept\n')
  return { parent, work, outside }
}

type Place = ReturnType<typeof makePlace>

/** A change from outside between two commands, as a line in the workspace; a file beside it that commands may no longer change. */
const changes: readonly (readonly [what: string, change: string, path: string, before?: string])[] = [
  ['a file that becomes a hard link to a protected one', 'ln -f .git/config plain', 'work/plain'],
  ['a file that a protected directory links to', 'ln plain .git/hooks/pre-commit', 'work/plain'],
  [
    'a file that a directory deep in a protected one links to',
    'ln plain .claude/commands/own/x.md',
    'work/plain',
    'mkdir -p .claude/commands/own',
  ],
  ['a directory that gets a protected name', 'mv deep .claude', 'work/.claude/plain'],
  [
    'a directory that gets a protected name in another directory',
    'mv deep .github/workflows',
    'work/.github/workflows/plain',
  ],
  ['a directory that moves into a protected one', 'mv deep .vscode', 'work/.vscode/deep/plain'],
  ['a directory that a protected name links to', 'ln -s deep .claude', 'work/deep/plain'],
  [
    'a directory that a protected name links to by another link',
    'ln -s "$PWD/deep" ../outside/link',
    'work/deep/plain',
    'ln -s ../outside/link .claude',
  ],
  ['a directory that moves out of the workspace', 'mv deep ..', 'deep/plain'],
  [
    'a workspace that is replaced by another directory',
    'mv ../work ../away; mkdir ../work',
    'away/deep/plain',
  ],
  ['a protected directory that appears', 'mkdir .idea; cp plain .idea', 'work/.idea/plain'],
  [
    'a submodule that appears',
    'mkdir -p .git/modules/new/hooks; cd .git/modules/new; echo ref: refs/heads/main > HEAD; echo kept > config',
    'work/.git/modules/new/config',
  ],
  [
    'a directory that the configuration of the repository names for hooks',
    'git config core.hooksPath deep',
    'work/deep/plain',
  ],
  ['a file that a filter of the configuration names', 'git config filter.x.clean "./plain -x"', 'work/plain'],
  [
    'a worktree that is added',
    'mkdir -p .git/worktrees/two; echo kept > .git/worktrees/two/gitdir',
    'work/.git/worktrees/two/gitdir',
  ],
  [
    'vitrine that is installed in the workspace',
    'mkdir -p node_modules/vitrine; echo kept > node_modules/vitrine/package.json',
    'work/node_modules/vitrine/package.json',
  ],
]

const apply = ({ work }: Place, line: string) => execFileSync('sh', ['-ec', line], { cwd: work })

const read = ({ parent }: Place, path: string) => readFileSync(join(parent, path), 'utf8')

/** Long enough for a directory's times to prove that nothing changed since. */
const settle = () => setTimeout(60)

/** Runs commands that may leave something to the next one: a ruleset, a list, a thread. */
async function warmUp(shell: Shell): Promise<void> {
  await settle()
  for (let turn = 0; turn < 3; turn++)
    expect(await shell.execute({ command: 'echo x >> plain; echo x >> deep/plain' })).toMatchObject({
      exitCode: 0,
    })
}

const write = ({ parent }: Place, path: string) => `echo x >> ${join(parent, path)}`

describe.runIf(process.platform === 'linux')('what changes between two commands of workspace mode', () => {
  it.for(changes)('%s cannot be changed by the next one', async ([, change, path, before]) => {
    for (const mode of ['workspace', 'write'] as const) {
      const place = makePlace()
      if (before) apply(place, before)
      const shell = await openTestShell({ cwd: place.work, mode })
      await warmUp(shell)
      apply(place, change)
      const content = read(place, path)
      await shell.execute({ command: write(place, path), cwd: place.parent })
      if (mode === 'workspace') expect(read(place, path)).toBe(content)
      else expect(read(place, path)).toBe(`${content}x\n`)
    }
  })

  it('counts though it comes at once after a command, each time', async () => {
    const place = makePlace()
    const shell = await openTestShell({ cwd: place.work, mode: 'workspace' })
    await warmUp(shell)
    const [config, plain] = [join(place.work, '.git/config'), join(place.work, 'plain')]
    const before = readFileSync(config, 'utf8')
    for (let turn = 0; turn < 40; turn++) {
      rmSync(plain)
      linkSync(config, plain)
      await shell.execute({ command: 'echo x >> plain' })
      expect(readFileSync(config, 'utf8')).toBe(before)
      rmSync(plain)
      writeFileSync(plain, '')
      expect(await shell.execute({ command: 'echo x >> plain' })).toMatchObject({ exitCode: 0 })
    }
  })

  it('a mount in the workspace cannot be changed by the next one', async ({ skip }) => {
    const place = makePlace()
    const shell = await openTestShell({ cwd: place.work, mode: 'workspace' })
    await warmUp(shell)
    const mounted = spawnSync('mount', ['--bind', place.outside, join(place.work, 'deep/sub')], {
      encoding: 'utf8',
    })
    if (mounted.status !== 0) return skip(`nothing can be mounted here: ${mounted.stderr}`)
    try {
      await shell.execute({ command: write(place, 'work/deep/sub/file') })
      expect(read(place, 'outside/file')).toBe('kept\n')
    } finally {
      execFileSync('umount', [join(place.work, 'deep/sub')])
    }
    expect(await shell.execute({ command: 'echo x > deep/sub/made' })).toMatchObject({ exitCode: 0 })
  })
})

/** One path that reads, in the native core, like the paths `a` and `b` of a list (the letters of `enum vt_place_kind`, core.h). */
const lists = [
  { key: 'workspace', name: 'protected', mode: 'workspace', separator: '\nl', command: 'echo x >> b' },
  { key: 'shell', name: 'unreadable', mode: 'read', separator: '\n5', command: 'cat b' },
] as const

describe.runIf(process.platform === 'linux')('what a process keeps for a list of paths', () => {
  it.for(lists)('is not taken for another list: $name', async ({ key, name, mode, separator, command }) => {
    const { work } = makePlace()
    for (const file of ['a', 'b']) writeFileSync(join(work, file), 'kept\n')
    const open = (paths: readonly string[]) =>
      openTestShell({ cwd: work, mode, toml: `[${key}]\n${name} = ${JSON.stringify(paths)}\n` })
    const odd = await open([join(work, `a${separator}${work}/b`)])
    const shell = await open([join(work, 'a'), join(work, 'b')])
    await settle()
    for (let turn = 0; turn < 3; turn++) expect(await odd.execute({ command })).toMatchObject({ exitCode: 0 })
    expect((await shell.execute({ command })).exitCode).not.toBe(0)
  })
})

/** Uses it, changes it, or neither. */
const uses = [
  'true',
  'touch -d 2001-01-01 "$TMPDIR"',
  ': > "$TMPDIR/x"',
  'mkdir "$TMPDIR/x"',
  'chmod 500 "$TMPDIR"',
]

it.runIf(process.platform === 'linux')(
  'each command of workspace mode has an empty private TMPDIR',
  async () => {
    const temporary = makeDirectory()
    const shell = await openTestShell({
      cwd: makePlace().work,
      mode: 'workspace',
      env: { TMPDIR: temporary },
    })
    for (const use of [...uses, ...uses]) {
      const line = `ls -A "$TMPDIR"; test $(stat -c %Y "$TMPDIR") -gt 1000000000 && stat -c %a "$TMPDIR"; ${use}`
      expect([use, (await shell.execute({ command: line })).stdout]).toEqual([use, '700\n'])
    }
    await shell.close()
    expect(existsSync(join(temporary, `vitrine-${process.getuid?.()}`))).toBe(false)
  },
)

it.runIf(process.platform === 'linux')(
  'the TMPDIR of another command that runs cannot be written to',
  async () => {
    const { work } = makePlace()
    const shell = await openTestShell({ cwd: work, mode: 'workspace' })
    await warmUp(shell)
    const wait =
      'echo "$TMPDIR" > name; mv name started; until test -e go; do sleep 0.02; done; ls -A "$TMPDIR"'
    const other = shell.execute({ command: wait })
    const started = join(work, 'started')
    await expect.poll(() => existsSync(started), { timeout: 20_000 }).toBe(true)
    const path = readFileSync(started, 'utf8').trim()
    for (const act of [`echo x > ${path}/x`, `mkdir ${path}/d`])
      expect((await shell.execute({ command: act })).exitCode).not.toBe(0)
    await shell.execute({ command: ': > go' })
    expect(await other).toMatchObject({ exitCode: 0, stdout: '' })
  },
)
