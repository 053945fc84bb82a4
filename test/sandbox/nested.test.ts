import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../src/base/types.ts'
import { users } from '../attacks/table.ts'
import { makeDirectory } from '../helpers/place.ts'
import { readable } from '../helpers/programs.ts'
import { runAs } from '../helpers/run-as.ts'

const vitrine = [process.execPath, join(readable, 'dist/cli.cjs'), 'run'] as const

/** vitrine in a command of vitrine's, in read mode outside: what the inner one is told cannot loosen anything. */
describe.runIf(process.platform === 'linux').for(users)('as $name', (user) => {
  let file: string
  let made: string
  const ways = ['read', 'write', 'read in read', 'write in read'] as const
  let inner: Map<string, Result | undefined>

  beforeAll(async () => {
    const directory = makeDirectory()
    chmodSync(directory, 0o777)
    file = join(directory, 'file')
    made = join(directory, 'made')
    writeFileSync(file, 'kept', { mode: 0o666 })
    chmodSync(file, 0o666)
    const change = ['sh', '-c', `cat ${file}; echo changed > ${file}; echo made > ${made}`]
    const writing = [...vitrine, '--write', '--', ...change]
    const reading = [...vitrine, '--', ...change]
    const commands = [reading, writing, [...vitrine, '--', ...reading], [...vitrine, '--', ...writing]]
    const results = await runAs(user, { options: { mode: 'read', cwd: directory }, commands })
    inner = new Map(ways.map((way, at) => [way, results[at]]))
  }, 120_000)

  it.for(ways)('%s mode inside runs and changes nothing, and the outer one tells', (way) => {
    const { stdout, exitCode, outcome, denials } = inner.get(way) ?? { denials: [] }
    expect(stdout).toContain('kept')
    expect(readFileSync(file, 'utf8')).toBe('kept')
    expect(existsSync(made)).toBe(false)
    expect([exitCode === 0, outcome?.kind]).toEqual([false, 'exited'])
    expect(denials.map(({ path }) => path)).toEqual([file, made])
  })
})

/** What an inner read mode is asked to change: entries made directly in the workspace, which only the notifier can make, and others. */
const changes = [
  ...['echo x > new', 'echo x >> file', 'mkdir made', 'rm file', 'mv file moved', 'ln file other'],
  ...['ln -s file link', 'mkfifo fifo', 'sed -i s/before/after/ file', 'touch -d 2001-01-01 file'],
  ...['chmod 600 file', 'echo x > .git/new', 'echo x > src/new', 'rm -r src', 'echo x > fresh/new'],
] as const

const inner = (...words: readonly string[]) => [...vitrine, ...words].map((word) => `'${word}'`).join(' ')

/** Makes a directory that no rule of Landlock names, and then changes things by an inner shell. */
function lineOf(run: string): readonly string[] {
  return ['sh', '-c', `mkdir fresh; echo before > file; ${run}`]
}

describe.runIf(process.platform === 'linux').for(users)('in workspace mode, as $name', (user) => {
  function makeRepository(): string {
    const parent = makeDirectory()
    const cwd = join(parent, 'work')
    execFileSync('sh', ['-ec', `git init -q "$0"; mkdir "$0/src"; echo kept > "$0/src/file"`, cwd])
    execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, parent])
    chmodSync(parent, 0o755)
    return cwd
  }

  async function tell(command: readonly string[]) {
    const cwd = makeRepository()
    const [result] = await runAs(user, { options: { mode: 'workspace', cwd }, commands: [command] })
    if (!result) throw new Error('the command has no result')
    const names = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).sort()
    return { result, names, file: readFileSync(join(cwd, 'file'), 'utf8') }
  }

  it('read mode changes nothing, says that it is read mode, and the outer one tells', async () => {
    const bare = await tell(lineOf('true'))
    const script = changes.map((change) => `(${change}) && echo "done: ${change}"`).join('\n')
    const { result, names, file } = await tell(
      lineOf(`${inner('--json', '--')} '${script.replaceAll("'", `'\\''`)}'`),
    )
    const told = JSON.parse(result.stdout) as Result
    expect({ names, file }).toEqual({ names: bare.names, file: 'before\n' })
    expect(told.stderr.trim().split('\n').length).toBeGreaterThanOrEqual(changes.length)
    expect(told).toMatchObject({ mode: 'read', stdout: '', exitCode: expect.any(Number) })
    expect(result.denials.filter(({ ownSandbox }) => ownSandbox)).not.toEqual([])
  }, 120_000)

  it('write mode changes what the outer one allows', async () => {
    const { names } = await tell(lineOf(inner('--write', '--', 'sh', '-c', 'echo x > new; echo x > .envrc')))
    expect(names).toContain('new')
    expect(names).not.toContain('.envrc')
  }, 120_000)

  it('workspace mode is refused with the reason, and nothing runs', async () => {
    const { result, names } = await tell(
      lineOf(inner('--mode', 'workspace', '--workspace', 'src', '--', 'sh', '-c', 'echo x > new')),
    )
    expect(result.exitCode).toBe(125)
    expect(result.stderr).toContain('installing a listener fails with EBUSY')
    expect(names).not.toContain('new')
  }, 120_000)
})
