import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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

/** A change from outside between two commands, and a file beneath `parent` that commands may no longer change. */
interface Change {
  readonly what: string
  readonly before?: (place: Place) => void
  readonly change: (place: Place) => void
  readonly path: string
}

const changes: readonly Change[] = [
  {
    what: 'a file that becomes a hard link to a protected one',
    change: ({ work }) => {
      rmSync(join(work, 'plain'))
      linkSync(join(work, '.git/config'), join(work, 'plain'))
    },
    path: 'work/plain',
  },
  {
    what: 'a file that a protected directory links to',
    change: ({ work }) => linkSync(join(work, 'plain'), join(work, '.git/hooks/pre-commit')),
    path: 'work/plain',
  },
  {
    what: 'a file that a directory deep in a protected one links to',
    before: ({ work }) => mkdirSync(join(work, '.claude/commands/own'), { recursive: true }),
    change: ({ work }) => linkSync(join(work, 'plain'), join(work, '.claude/commands/own/x.md')),
    path: 'work/plain',
  },
  {
    what: 'a directory that gets a protected name',
    change: ({ work }) => renameSync(join(work, 'deep'), join(work, '.claude')),
    path: 'work/.claude/plain',
  },
  {
    what: 'a directory that gets a protected name in another directory',
    change: ({ work }) => renameSync(join(work, 'deep'), join(work, '.github/workflows')),
    path: 'work/.github/workflows/plain',
  },
  {
    what: 'a directory that moves into a protected one',
    change: ({ work }) => renameSync(join(work, 'deep'), join(work, '.vscode/deep')),
    path: 'work/.vscode/deep/plain',
  },
  {
    what: 'a directory that a protected name links to',
    change: ({ work }) => symlinkSync('deep', join(work, '.claude')),
    path: 'work/deep/plain',
  },
  {
    what: 'a directory that a protected name links to by another link',
    before: ({ work }) => {
      symlinkSync('../outside/link', join(work, '.claude'))
    },
    change: ({ work, outside }) => symlinkSync(join(work, 'deep'), join(outside, 'link')),
    path: 'work/deep/plain',
  },
  {
    what: 'a directory that moves out of the workspace',
    change: ({ parent, work }) => renameSync(join(work, 'deep'), join(parent, 'deep')),
    path: 'deep/plain',
  },
  {
    what: 'a workspace that is replaced by another directory',
    change: ({ parent, work }) => {
      renameSync(work, join(parent, 'away'))
      mkdirSync(work)
    },
    path: 'away/deep/plain',
  },
  {
    what: 'a protected directory that appears',
    change: ({ work }) => {
      mkdirSync(join(work, '.idea'))
      writeFileSync(join(work, '.idea/plain'), 'kept\n')
    },
    path: 'work/.idea/plain',
  },
  {
    what: 'a submodule that appears',
    change: ({ work }) => {
      mkdirSync(join(work, '.git/modules/new/hooks'), { recursive: true })
      writeFileSync(join(work, '.git/modules/new/HEAD'), 'ref: refs/heads/main\n')
      writeFileSync(join(work, '.git/modules/new/config'), 'kept\n')
    },
    path: 'work/.git/modules/new/config',
  },
  {
    what: 'a directory that the configuration of the repository names for hooks',
    change: ({ work }) => appendFileSync(join(work, '.git/config'), '[core]\n\thooksPath = deep\n'),
    path: 'work/deep/plain',
  },
  {
    what: 'a file that a filter of the configuration names',
    change: ({ work }) => appendFileSync(join(work, '.git/config'), '[filter "x"]\n\tclean = ./plain -x\n'),
    path: 'work/plain',
  },
  {
    what: 'a worktree that is added',
    change: ({ work }) => {
      mkdirSync(join(work, '.git/worktrees/two'), { recursive: true })
      writeFileSync(join(work, '.git/worktrees/two/gitdir'), 'kept\n')
    },
    path: 'work/.git/worktrees/two/gitdir',
  },
  {
    what: 'vitrine that is installed in the workspace',
    change: ({ work }) => {
      mkdirSync(join(work, 'node_modules/vitrine'), { recursive: true })
      writeFileSync(join(work, 'node_modules/vitrine/package.json'), 'kept\n')
    },
    path: 'work/node_modules/vitrine/package.json',
  },
]

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
  it.for(changes)('$what cannot be changed by the next one', async ({ before, change, path }) => {
    for (const mode of ['workspace', 'write'] as const) {
      const place = makePlace()
      before?.(place)
      const shell = await openTestShell({ cwd: place.work, mode })
      await warmUp(shell)
      change(place)
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

  it('a directory that a command makes at the top is writable for the next one by Landlock', async () => {
    const place = makePlace()
    const shell = await openTestShell({ cwd: place.work, mode: 'workspace' })
    await warmUp(shell)
    expect(await shell.execute({ command: 'mkdir made; echo x > made/first' })).toMatchObject({ exitCode: 0 })
    expect(await shell.execute({ command: 'echo x > made/second; chmod 600 made/first' })).toMatchObject({
      exitCode: 0,
    })
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

describe.runIf(process.platform === 'linux')('the private TMPDIR of workspace mode', () => {
  it('is empty for each command, and another one where the command before used or changed it', async () => {
    const place = makePlace()
    const temporary = makeDirectory()
    const shell = await openTestShell({ cwd: place.work, mode: 'workspace', env: { TMPDIR: temporary } })
    const seen = new Set<string>()
    const unused = new Set(['true', 'touch -d 2001-01-01 "$TMPDIR"'])
    const commands = [...unused, ': > "$TMPDIR/x"', 'mkdir "$TMPDIR/x"', 'chmod 500 "$TMPDIR"']
    for (const command of [...commands, ...commands]) {
      const line = `echo "$TMPDIR"; ls -A "$TMPDIR"; stat -c "%a %Y" "$TMPDIR"; ${command}`
      const { stdout } = await shell.execute({ command: line })
      const [path = '', status = ''] = stdout.split('\n')
      const [mode, modified] = status.split(' ').map(Number)
      expect({ lines: stdout.split('\n').length, mode }).toEqual({ lines: 3, mode: 700 })
      expect(modified).toBeGreaterThan(1_000_000_000)
      expect(existsSync(path)).toBe(unused.has(command))
      seen.add(path)
    }
    expect(seen.size).toBeLessThan(2 * commands.length)
    await shell.close()
    expect(existsSync(join(temporary, `vitrine-${process.getuid?.()}`))).toBe(false)
  })

  it('of another command that runs cannot be written to', async () => {
    const place = makePlace()
    const shell = await openTestShell({ cwd: place.work, mode: 'workspace' })
    const started = join(place.work, 'started')
    for (let turn = 0; turn < 5; turn++) {
      for (let warm = 0; warm < 3; warm++) await shell.execute({ command: 'true' })
      rmSync(started, { force: true })
      const other = shell.execute({
        command:
          'echo "$TMPDIR" > name; mv name started; while ! test -e go; do sleep 0.02; done; ls -A "$TMPDIR"',
      })
      while (!existsSync(started)) await setTimeout(5)
      const path = readFileSync(started, 'utf8').trim()
      await shell.execute({ command: `echo x > ${path}/x; mkdir ${path}/d; true` })
      await shell.execute({ command: `echo x > ${path}/y; : > go` })
      expect(await other).toMatchObject({ exitCode: 0, stdout: '' })
      rmSync(join(place.work, 'go'))
    }
  })
})
