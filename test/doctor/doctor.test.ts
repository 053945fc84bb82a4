import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Diagnosis } from '../../src/doctor/diagnosis.ts'
import { findings } from '../../src/doctor/doctor.ts'
import { ended, Home, program } from '../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { repository } from '../helpers/programs.ts'

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

  test('every right that could be tried is enforced, and the exit code is 0', async () => {
    expect(await doctor).toMatchObject({ code: 0, stderr: '' })
    const { rights, verdict } = await diagnosis()
    expect(verdict).toBe('enforced')
    expect(rights.filter(({ state }) => state === 'open')).toEqual([])
    expect(rights.filter(({ state }) => state === 'enforced').length).toBeGreaterThan(20)
  })

  test('every right that read mode claims has a line, and names what holds it', async () => {
    const rights = (await diagnosis()).rights.filter(({ settings }) => settings === undefined)
    const { enforcement } = await openTestShell({ mode: 'read' })
    const claimed = Object.entries(enforcement).filter(([, { enforced }]) => enforced)
    expect([...new Set(rights.map(({ right }) => right))].sort()).toEqual(
      claimed.map(([right]) => right).sort(),
    )
    for (const { right, by } of rights) expect(by).toBe(enforcement[right]?.by)
  })

  test('the kernel is described', async () => {
    const { kernel, host } = await diagnosis()
    expect(kernel).toBe(readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim())
    expect(host).toMatchObject({ platform: 'linux', probe: { seccomp: true, pidfd: true } })
    expect(host.probe?.landlockAbi).toBeGreaterThan(0)
    expect(host.watcherPid).toBeGreaterThan(1)
  })

  test('nothing is left: no file, no process', async () => {
    await doctor
    expect(readdirSync(temporary)).toEqual([])
    expect(processesOf(temporary)).toEqual([])
  })

  test('the table says the same to people', async () => {
    const { code, stdout } = await home.run(['doctor'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^landlock +ABI \d+/m)
    expect(stdout).toMatch(/^right +held by +tried +seen$/m)
    expect(stdout).toMatch(/^file contents +landlock\+seccomp +write to a file +held: .*denied$/m)
    expect(stdout).toMatch(/^Read mode holds: \d+ attempts came to nothing/m)
  })
})

test('every attempt that works without a sandbox is seen as a right that is open', async () => {
  const directory = makeDirectory()
  const env = { ...process.env, XDG_CONFIG_HOME: directory, XDG_STATE_HOME: directory }
  const found = await findings('write', { program: [process.execPath, program], directory, env })
  const inShell = found.filter(({ right }) => right !== 'descriptors' && right !== 'death of the host')
  expect(inShell.filter(({ state }) => state === 'enforced')).toEqual([])
  expect(inShell.filter(({ state }) => state === 'open').length).toBeGreaterThan(20)
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

  test('doctor says what is missing, tries nothing, and exits with 1', async () => {
    const ran = await run('doctor')
    expect(ran).toMatchObject({ code: 1, stderr: '' })
    expect(ran.stdout).toMatch(/^There is no read mode here\. It needs the native addon/m)
    const { verdict, rights, unavailable } = JSON.parse((await run('doctor', '--json')).stdout) as Diagnosis
    expect({ verdict, rights }).toEqual({ verdict: 'unavailable', rights: [] })
    expect(unavailable).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', wanted: 'the native addon' })
  })

  test('run refuses, and --write runs', async () => {
    expect(await run('run', '--', 'echo hi')).toMatchObject({ code: 125, stdout: '' })
    expect(await run('run', '--write', '--', 'echo hi; exit 4')).toMatchObject({ code: 4, stdout: 'hi\n' })
  })
})

test('inside read mode it fails, for it can make no directory', async () => {
  const ran = await new Home().run(['run', '--', process.execPath, program, 'doctor'])
  expect(ran.code).toBe(125)
  expect(ran.stderr).toContain('vitrine: ')
})
