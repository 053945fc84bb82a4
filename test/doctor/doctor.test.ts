import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { Diagnosis } from '../../src/doctor/attempt.ts'
import { findings } from '../../src/doctor/doctor.ts'
import { ended, Home, program } from '../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'
import { diagnosisSchema } from './schema.ts'

/** Processes that were started with the directory as TMPDIR and still run. */
function processesOf(directory: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${directory}\0`)
    } catch {
      // Gone meanwhile, or not ours.
      return false
    }
  })
}

describe('on this host', () => {
  const home = new Home()
  const temporary = makeDirectory()
  const doctor = home.run(['doctor', '--json'], { env: { TMPDIR: temporary } })
  const diagnosis = async (): Promise<Diagnosis> => JSON.parse((await doctor).stdout)

  it('every right that could be tried is enforced, and the exit code is 0', async () => {
    const { rights, verdict } = await diagnosis()
    expect(rights.filter(({ state }) => state === 'open' || state === 'lacking')).toEqual([])
    expect(verdict).toBe('enforced')
    expect(await doctor).toMatchObject({ code: 0, stderr: '' })
    expect(rights.filter(({ state }) => state === 'enforced').length).toBeGreaterThan(20)
  })

  it('every right that read mode claims has a line, and names what holds it', async () => {
    const rights = (await diagnosis()).rights.filter(({ settings }) => settings === undefined)
    const { enforcement } = await openTestShell({ mode: 'read' })
    const claimed = Object.entries(enforcement).filter(([, { enforced }]) => enforced)
    expect([...new Set(rights.map(({ right }) => right))].sort()).toEqual(
      claimed.map(([right]) => right).sort(),
    )
    for (const { right, by } of rights) expect(by).toBe(enforcement[right]?.by)
  })

  it('--json has the shape that docs/doctor.md describes', async () => {
    expect(v.safeParse(diagnosisSchema, await diagnosis()).issues).toBeUndefined()
  })

  it('workspace and own sockets are tried in workspace mode; no file and process is left', async () => {
    const { rights } = await diagnosis()
    const rows = rights.filter(({ settings }) => settings?.['shell.mode'] === 'workspace')
    expect(rows.map(({ right, state, by }) => [right, state, by])).toEqual([
      ['own sockets', 'enforced', 'seccomp listener'],
      ['workspace', 'enforced', 'landlock+seccomp listener'],
    ])
    expect(readdirSync(temporary)).toEqual([])
    expect(processesOf(temporary)).toEqual([])
  })
})

it('every attempt that works without a sandbox is seen as a right that is open', async () => {
  const directory = makeDirectory()
  const env = { ...process.env, XDG_CONFIG_HOME: directory, XDG_STATE_HOME: directory }
  const found = await findings('write', { program: [process.execPath, program], directory, env })
  const elsewhere = ['descriptors', 'death of the host', 'limits']
  const inShell = found.filter(({ right }) => !elsewhere.includes(right))
  expect(inShell.filter(({ state }) => state === 'enforced')).toEqual([])
  expect(inShell.filter(({ state }) => state === 'open').length).toBeGreaterThan(15)
  // Limits are the one thing that holds in both modes.
  const limits = found.filter(({ right }) => right === 'limits')
  expect(limits).toMatchObject([{ state: 'enforced', by: expect.stringContaining('watch') }])
})

/** The package without its addon. */
function makePackage(): string {
  const directory = makeDirectory()
  for (const name of ['package.json', 'dist'])
    cpSync(join(repository, name), join(directory, name), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'))
  return join(directory, 'dist/cli.cjs')
}

describe('where there is no sandbox', () => {
  const cli = makePackage()
  const home = new Home()
  const run = (...args: string[]) =>
    ended(spawn(process.execPath, [cli, ...args], { cwd: dirname(cli), env: home.env }))

  it('doctor says what is missing, tries nothing, and exits with 1', async () => {
    const ran = await run('doctor')
    expect(ran).toMatchObject({ code: 1, stderr: '' })
    const { verdict, rights, unavailable } = JSON.parse((await run('doctor', '--json')).stdout) as Diagnosis
    expect({ verdict, rights }).toEqual({ verdict: 'unavailable', rights: [] })
    expect(unavailable).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', wanted: 'the native addon' })
  })

  it('run refuses, and --write runs', async () => {
    expect(await run('run', '--', 'echo hi')).toMatchObject({ code: 125, stdout: '' })
    expect(await run('run', '--write', '--', 'echo hi; exit 4')).toMatchObject({ code: 4, stdout: 'hi\n' })
  })
})

describe('where something is in the way', () => {
  const home = new Home()
  const filtered = (errno: number, ...args: string[]) => {
    const script = join(repository, 'test/fixtures/host/refusing-calls.py')
    // landlock_create_ruleset to landlock_restrict_self, on every architecture: asm-generic/unistd.h
    const argv = [script, String(errno), '444', '446', process.execPath, program, ...args]
    return ended(spawn('python3', argv, { cwd: home.directory, env: home.env }))
  }

  it.for(['EPERM', 'ENOSYS'] as const)('a filter that answers %s to the landlock calls', async (name) => {
    const ran = await filtered(constants.errno[name], 'doctor', '--json')
    const diagnosis = JSON.parse(ran.stdout) as Diagnosis
    expect({ code: ran.code, stderr: ran.stderr, verdict: diagnosis.verdict }).toEqual({
      ...{ code: 1, stderr: '', verdict: 'unavailable' },
    })
    expect(v.is(diagnosisSchema, diagnosis)).toBe(true)
    const blocking = diagnosis.traps.filter(({ effect }) => effect === 'blocks')
    expect(blocking.map(({ id }) => id)).toEqual(['landlock-filtered'])
    expect(blocking[0]?.fix.join()).toContain('landlock_restrict_self')
  })

  it('inside read mode the verdict is untried, and a listener of its own is refused', async () => {
    const ran = await home.run(['run', '--', process.execPath, program, 'doctor', '--json'])
    const { verdict, rights, traps } = JSON.parse(ran.stdout) as Diagnosis
    expect({ code: ran.code, verdict, rights }).toEqual({ code: 1, verdict: 'untried', rights: [] })
    expect(traps.map(({ id }) => id)).toContain('nested-listener')
  })

  it.for([
    {
      ...{ sockets: 'true', code: 0, verdict: 'enforced' },
      lacking: ['denial reports', 'own sockets', 'workspace'],
    },
    {
      ...{ sockets: 'false', code: 1, verdict: 'partly' },
      lacking: ['survivors', 'death of the host', 'denial reports', 'limits', 'own sockets', 'workspace'],
    },
  ])(
    'inside read mode with a TMPDIR it finds what holds; own sockets outside: $sockets',
    async ({ sockets, lacking, ...told }) => {
      const inner = ['run', '--private-tmp', '--', process.execPath, program, 'doctor', '--json']
      const ran = await home.run(inner, { env: { VITRINE_SHELL_OWN_SOCKETS: sockets } })
      const { verdict, rights } = JSON.parse(ran.stdout) as Diagnosis
      expect({ code: ran.code, verdict }).toEqual(told)
      const lacks = rights.filter(({ state }) => state === 'lacking').map(({ right }) => right)
      expect([...new Set(lacks)]).toEqual(lacking)
      expect(rights.filter(({ state }) => state === 'open')).toEqual([])
      expect(rights.filter(({ state }) => state === 'enforced').length).toBeGreaterThan(8)
    },
  )
})
