import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Result } from '../../src/base/types.ts'
import type { Host } from '../../src/host/host.ts'
import { VitrineError } from '../../src/messages/error.ts'
import { readEverything } from '../../src/sandbox/sandbox.ts'
import { Home } from '../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { addonless, lackingHosts, probing } from './hosts.ts'

interface Attempt {
  readonly ran: Result | undefined
  readonly refusal: VitrineError | undefined
  readonly witnessed: boolean
}

/** Opens a shell in read mode and has it make a file; whichever step refuses counts. */
async function tryToWrite(host: Host, toml = ''): Promise<Attempt> {
  const witness = join(makeDirectory(), 'witness')
  const run = async () => {
    const shell = await openTestShell({ host, mode: 'read', toml })
    return shell.execute({ command: `echo made > ${witness}` })
  }
  return run().then(
    (ran) => ({ ran, refusal: undefined, witnessed: existsSync(witness) }),
    (error: unknown) => {
      if (!(error instanceof VitrineError)) throw error
      return { ran: undefined, refusal: error, witnessed: existsSync(witness) }
    },
  )
}

describe('read mode never runs a command that it cannot hold', () => {
  it.for(lackingHosts)('with $what it is refused, and nothing runs', async ({ host, names }) => {
    const { ran, refusal, witnessed } = await tryToWrite(host())
    expect(ran).toBeUndefined()
    expect(witnessed).toBe(false)
    const facts = refusal?.refusal
    if (facts?.code !== 'SANDBOX_UNAVAILABLE') throw new Error(`refused with ${facts?.code}`)
    const said = [facts.wanted, facts.got, facts.remedy].join('; ')
    for (const name of names) expect(said).toContain(name)
  })

  it('in a Node without addons, and the remedy is an option of Node', async () => {
    const home = new Home()
    const env = { NODE_OPTIONS: '--no-addons' }
    const { stdout, code } = await home.run(['run', '--json', '--', 'echo ran'], { env })
    expect(code).toBe(125)
    const { error } = JSON.parse(stdout)
    expect(error).toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      remedy: expect.stringContaining('--no-addons'),
    })
  })

  it.for(lackingHosts)('with $what a shell in write mode cannot be set to read mode', async ({ host }) => {
    const shell = await openTestShell({ host: host(), mode: 'write' })
    expect(() => {
      shell.mode = 'read'
    }).toThrow(expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }))
    expect(shell.mode).toBe('write')
  })

  it('with another system it is refused in one sentence, and write mode works', async () => {
    const host = { ...addonless('other'), name: 'freebsd' }
    const { refusal, witnessed } = await tryToWrite(host)
    expect(refusal?.refusal).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', platform: 'freebsd' })
    expect(witnessed).toBe(false)
    const shell = await openTestShell({ host, mode: 'write' })
    expect(await shell.execute({ command: 'echo ran' })).toMatchObject({ stdout: 'ran\n', exitCode: 0 })
  })

  it('with all of it there the command runs, and is refused by the kernel', async () => {
    const { ran, witnessed } = await tryToWrite(probing({}))
    expect(ran).toMatchObject({ exitCode: 2, mode: 'read', failure: { kind: 'permission-denied' } })
    expect(witnessed).toBe(false)
  })

  it('with the sandbox switched off it does so in every way to get to read mode', async () => {
    const witness = join(makeDirectory(), 'witness')
    const shell = await openTestShell({
      host: probing({}),
      mode: 'write',
      toml: '[shell]\nsandbox = false\n',
    })
    const command = `echo made > ${witness}`
    shell.mode = 'read'
    await expect(shell.execute({ command })).rejects.toMatchObject({ code: 'WRITE_MODE_REQUIRED' })
    expect(existsSync(witness)).toBe(false)
    shell.mode = 'write'
    expect(await shell.execute({ command })).toMatchObject({ exitCode: 0 })
    expect(existsSync(witness)).toBe(true)
  })

  it('with a mode that it does not know nothing runs', async () => {
    const witness = join(makeDirectory(), 'witness')
    const run = async () => {
      const shell = await openTestShell({ mode: 'Read' as 'read' })
      return shell.execute({ command: `echo made > ${witness}` })
    }
    await expect(run()).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(existsSync(witness)).toBe(false)
  })

  it('toggled to and fro each command gets the mode of its moment', async () => {
    const directory = makeDirectory()
    const shell = await openTestShell({ cwd: directory })
    const modes = ['read', 'write', 'read', 'write'] as const
    const runs = modes.map((mode, index) => {
      shell.mode = mode
      return shell.execute({ command: `sleep 0.05; echo made > ${index}` })
    })
    const results = await Promise.all(runs)
    expect(results.map(({ mode }) => mode)).toEqual(modes)
    expect(results.map(({ exitCode }) => exitCode)).toEqual([2, 0, 2, 0])
    expect(modes.map((_, index) => existsSync(join(directory, String(index))))).toEqual([
      false,
      true,
      false,
      true,
    ])
  })
})

describe('write mode runs where read mode cannot', () => {
  it.for(lackingHosts.filter(({ what }) => !/watcher|macOS|Windows|another/.test(what)))(
    'with $what',
    async ({ host }) => {
      const witness = join(makeDirectory(), 'witness')
      const shell = await openTestShell({ host: host(), mode: 'write' })
      const result = await shell.execute({
        command: `echo made > ${witness}; echo out; echo err >&2; exit 3`,
      })
      expect(result).toMatchObject({
        exitCode: 3,
        stdout: 'out\n',
        stderr: 'err\n',
        mode: 'write',
        enforcement: {},
      })
      expect(existsSync(witness)).toBe(true)
    },
  )

  it('refuses what asks for confinement when there is no addon', async () => {
    const { execaLauncher } = await import('../../src/launch/execa.ts')
    const launcher = await execaLauncher()
    const confinement = {
      kind: 'landlock' as const,
      network: false,
      proxy: null,
      writable: [],
      reads: readEverything,
      changes: null,
      asks: false,
      world: 0,
      abi: 7,
      listener: true,
    }
    const request = {
      candidates: ['/bin/true'],
      argv: ['true'],
      environment: {},
      cwd: '/',
      stdin: null,
      merged: false,
      limits: null,
      deadline: { timeoutMs: 1000, graceMs: 0 },
      terminal: null,
    }
    const events = { output: () => {}, started: () => {}, end: () => {} }
    expect(() => launcher.launch({ ...request, confinement }, events)).toThrow(confinement.kind)
    expect(addonless().addon).toHaveProperty('missing')
  })
})
