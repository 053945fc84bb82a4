import { execFileSync, spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
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
  it('is not changed, though the directories around it are; in write mode it is', async () => {
    expect([await codesOf('workspace', lines), await codesOf('write', lines)]).toEqual([
      { codes: [false, false, false, false, true], outside: [[], [], []] },
      { codes: [true, true, true, true, true], outside: [['a'], ['b'], ['c', 'd']] },
    ])
  })
})

describe.runIf(process.platform === 'linux')('a directory in which vitrine looks for more to protect', () => {
  /** attacks/next-command.deep.test.ts shows what that would open. */
  it.for(['.git', '.github'])(
    '%s is not shut to its user, and its mode can change otherwise',
    async (name) => {
      const cwd = join(makeDirectory(), 'project')
      for (const path of ['.github/workflows', 'src']) mkdirSync(join(cwd, path), { recursive: true })
      execFileSync('git', ['init', '-q'], { cwd })
      const shell = await openTestShell({ cwd, mode: 'workspace' })
      const shut = `for mode in 000 600 300 u-r u-x; do chmod $mode ${name} && echo $mode; done`
      const { stdout } = await shell.execute({ command: `${shut}; chmod 700 ${name} && chmod 000 src` })
      const modes = [name, 'src'].map((path) => statSync(join(cwd, path)).mode & 0o777)
      expect([stdout, ...modes]).toEqual(['', 0o700, 0])
    },
  )
})
