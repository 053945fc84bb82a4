import { execFileSync, spawnSync } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { users } from '../../attacks/table.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { repository } from '../../helpers/programs.ts'
import { runAs } from '../../helpers/run-as.ts'
import { words } from '../../helpers/words.ts'

describe('an exchanged file', async () => {
  let library: string

  beforeAll(() => {
    library = join(makeDirectory(), 'exchange.so')
    const source = join(repository, 'test/fixtures/workspace/exchange.c')
    const options = words('-std=gnu11 -Wall -Wextra -Werror -shared -fPIC')
    execFileSync('cc', [...options, source, '-o', library, '-ldl'])
  })

  type Comer = 'another name of a protected file' | 'a link to a protected file' | 'another file'

  /** What a command does to a file, for which something else comes just before vitrine opens it. */
  async function opened(line: string, comer: Comer) {
    const [user] = users
    if (!user) throw new Error('there is no user')
    const parent = makeDirectory()
    const [cwd, from] = [join(parent, 'project'), join(parent, 'comer')]
    mkdirSync(cwd)
    writeFileSync(join(cwd, '.envrc'), 'protected')
    writeFileSync(join(cwd, 'name'), 'own')
    if (comer === 'another file') writeFileSync(from, 'another')
    else if (comer === 'a link to a protected file') symlinkSync('.envrc', from)
    else linkSync(join(cwd, '.envrc'), from)
    const [result] = await runAs(user, {
      options: { mode: 'workspace', cwd },
      commands: [['sh', '-c', line]],
      wrapper: ['env', `LD_PRELOAD=${library}`, `EXCHANGE_FROM=${from}`, `EXCHANGE_TO=${join(cwd, 'name')}`],
    })
    const isGone = statSync(from, { throwIfNoEntry: false }) === undefined
    return { exitCode: result?.exitCode, isGone, content: readFileSync(join(cwd, '.envrc'), 'utf8') }
  }

  const lines = [': > name', 'echo x >> name', 'exec 3<> name; echo x >&3', 'truncate -s 0 name']

  describe.runIf(process.platform === 'linux')('a file that is exchanged just before it is opened', () => {
    it.for(lines)('is looked at again: %s', async (line) => {
      for (const comer of ['another name of a protected file', 'a link to a protected file'] as const) {
        const { exitCode, ...found } = await opened(line, comer)
        expect([comer, found]).toEqual([comer, { isGone: true, content: 'protected' }])
        expect(exitCode).not.toBe(0)
      }
    })

    it.for(lines)('is opened where it may be: %s', async (line) => {
      expect(await opened(line, 'another file')).toEqual({ exitCode: 0, isGone: true, content: 'protected' })
    })
  })
})

const [user] = users

const canMount =
  process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true'], { stdio: 'ignore' }).status === 0

/** Runs lines in a workspace, on two directories of which another one is mounted, in mounts of its own. Their exit codes. */
async function codesOf(mode: 'workspace' | 'write', lines: readonly string[]) {
  if (!user) throw new Error('there is no user')
  const parent = makeDirectory()
  const [cwd, outside] = [join(parent, 'work'), join(parent, 'outside')]
  for (const name of ['mounted', 'with a space', 'deep/er', 'plain'])
    mkdirSync(join(cwd, name), { recursive: true })
  for (const name of ['1', '2', '3']) mkdirSync(join(outside, name), { recursive: true })
  const script = `cd "$0" && mount --bind ../outside/1 mounted && mount --bind ../outside/2 'with a space' &&
    mount --bind ../outside/3 deep/er && exec "$@"`
  const results = await runAs(user, {
    options: { mode, cwd },
    commands: lines.map((line) => ['sh', '-c', line]),
    wrapper: ['unshare', '-m', 'sh', '-c', script, cwd],
  })
  return {
    codes: results.map(({ exitCode }) => exitCode === 0),
    outside: ['1', '2', '3'].map((name) => readdirSync(join(outside, name))),
  }
}

const lines = [
  'echo x > mounted/a',
  "echo x > 'with a space/b'",
  'mkdir deep/er/c',
  'echo x > deep/er/d',
  'echo x > plain/e',
]

describe.runIf(canMount)('what is mounted in the workspace (as root)', () => {
  it('is not changed, though the directories around it are', async () => {
    expect(await codesOf('workspace', lines)).toEqual({
      codes: [false, false, false, false, true],
      outside: [[], [], []],
    })
  })

  it('is in write mode', async () => {
    expect(await codesOf('write', lines)).toEqual({
      codes: [true, true, true, true, true],
      outside: [['a'], ['b'], ['c', 'd']],
    })
  })
})

// Of all device nodes the kernel makes the one of number 0, 0 without a capability: WHITEOUT_DEV (linux/fs.h).
const devices = ['mknod node c 0 0', 'mknod in/node c 0 0', 'mknod node b 7 255', 'mknod in/node b 7 255']

describe.runIf(process.platform === 'linux')('a node in the workspace', () => {
  it.for(devices)('is no device: %s', async (command) => {
    const cwd = join(makeDirectory(), 'project')
    mkdirSync(join(cwd, 'in'), { recursive: true })
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    expect(await shell.execute({ command })).toMatchObject({ exitCode: 1 })
    for (const name of ['node', 'in/node'])
      expect(lstatSync(join(cwd, name), { throwIfNoEntry: false })).toBe(undefined)
  })

  it('can be a FIFO', async () => {
    const cwd = join(makeDirectory(), 'project')
    mkdirSync(join(cwd, 'in'), { recursive: true })
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    expect(await shell.execute({ command: 'mkfifo node in/node' })).toMatchObject({ exitCode: 0 })
    for (const name of ['node', 'in/node']) expect(lstatSync(join(cwd, name)).isFIFO()).toBe(true)
  })
})

/** A command that changes metadata of a file by its absolute path, after another directory has come to stand there. */
async function changes(mode: 'workspace' | 'write', change: string) {
  const parent = makeDirectory()
  const [cwd, flag] = [join(parent, 'work'), join(parent, 'go')]
  const make = () => {
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'file'), 'x', { mode: 0o644 })
  }
  make()
  const shell = await openTestShell({ cwd, mode })
  const file = join(cwd, 'file')
  let begun = () => {}
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const command = `echo begun; until [ -e ${flag} ]; do sleep 0.02; done; ${change} ${file}`
  const running = shell.execute({ command }, { onOutput: () => begun() })
  await started
  renameSync(cwd, join(parent, 'moved'))
  make()
  const before = statSync(file)
  writeFileSync(flag, '')
  const { exitCode } = await running
  const { mode: bits, mtimeMs } = statSync(file)
  return { exitCode, isChanged: bits !== before.mode || mtimeMs !== before.mtimeMs }
}

describe.runIf(process.platform === 'linux')(
  'a directory that has come to stand at the place of the workspace',
  () => {
    it.for(['chmod 600', 'touch -d 2001-01-01'])('keeps its metadata: %s', async (change) => {
      expect(await changes('workspace', change)).toEqual({ exitCode: 1, isChanged: false })
      expect(await changes('write', change)).toEqual({ exitCode: 0, isChanged: true })
    })
  },
)

function makeProject(): string {
  const cwd = join(makeDirectory(), 'project')
  mkdirSync(join(cwd, '.github/workflows'), { recursive: true })
  mkdirSync(join(cwd, 'src'))
  execFileSync('git', ['init', '-q'], { cwd })
  return cwd
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe.runIf(process.platform === 'linux')('a directory in which vitrine looks for more to protect', () => {
  it.for(['.git', '.github'])('%s stays open to its user: nothing shuts it', async (name) => {
    const cwd = makeProject()
    const before = modeOf(join(cwd, name))
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    for (const mode of ['000', '600', '300', 'u-r', 'u-x']) {
      expect(await shell.execute({ command: `chmod ${mode} ${name}` })).toMatchObject({ exitCode: 1 })
      expect([mode, modeOf(join(cwd, name))]).toEqual([mode, before])
    }
  })

  it('its mode can change otherwise, and that of another directory in any way', async () => {
    const cwd = makeProject()
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    const command = 'chmod 700 .github && chmod 500 src && chmod 000 src'
    expect(await shell.execute({ command })).toMatchObject({ exitCode: 0 })
    expect([modeOf(join(cwd, '.github')), modeOf(join(cwd, 'src'))]).toEqual(['700', '0'])
  })

  it('in write mode it can be shut', async () => {
    const cwd = makeProject()
    const shell = await openTestShell({ cwd, mode: 'write' })
    expect(await shell.execute({ command: 'chmod 000 .git' })).toMatchObject({ exitCode: 0 })
    expect(modeOf(join(cwd, '.git'))).toBe('0')
  })
})
