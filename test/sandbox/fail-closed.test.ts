import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Result } from '../../src/base/types.ts'
import type { VitrineError } from '../../src/messages/error.ts'
import { Home } from '../cli/vitrine.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'
import { addonless, lackingHosts, probing } from './hosts.ts'

/** Opens a shell in read mode and has it make a file, which is looked for; whichever step refuses counts. */
async function tryToWrite(options: TestShellOptions) {
  const witness = join(makeDirectory(), 'witness')
  const running = openTestShell({ mode: 'read', ...options }).then((shell) =>
    shell.execute({ command: `echo made > ${witness}` }),
  )
  const ran: Result | VitrineError = await running.catch((error) => error)
  expect(existsSync(witness)).toBe(false)
  return ran
}

describe('read mode never runs a command that it cannot hold', () => {
  it.for(lackingHosts)('with $what it is refused, with what lacks', async ({ host, names }) => {
    const refused = await tryToWrite({ host: host() })
    if (!('refusal' in refused) || refused.refusal.code !== 'SANDBOX_UNAVAILABLE') throw refused
    const { wanted, got, remedy } = refused.refusal
    for (const name of names) expect([wanted, got, remedy].join('; ')).toContain(name)
  })

  it.for(lackingHosts)('with $what write mode runs, and stays write mode', async ({ what, host }) => {
    const shell = await openTestShell({ host: host(), mode: 'write' })
    expect(() => {
      shell.mode = 'read'
    }).toThrow(expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }))
    expect(shell.mode).toBe('write')
    if (/watcher|macOS|Windows/.test(what)) return
    const result = await shell.execute({ command: 'echo made > made; cat made; echo err >&2; exit 3' })
    const streams = { stdout: 'made\n', stderr: 'err\n' }
    expect(result).toMatchObject({ exitCode: 3, ...streams, mode: 'write', enforcement: {} })
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
    const refusal = { code: 'SANDBOX_UNAVAILABLE', platform: 'freebsd' }
    expect(await tryToWrite({ host })).toMatchObject({ refusal })
    const shell = await openTestShell({ host, mode: 'write' })
    expect(await shell.execute({ command: 'echo ran' })).toMatchObject({ stdout: 'ran\n', exitCode: 0 })
  })

  it('with all of it there the command runs, and is refused by the kernel', async () => {
    const refused = { exitCode: 2, mode: 'read', failure: { kind: 'permission-denied' } }
    expect(await tryToWrite({ host: probing({}) })).toMatchObject(refused)
  })

  it('with a mode that it does not know nothing runs', async () => {
    expect(await tryToWrite({ mode: 'Read' as 'read' })).toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('with the sandbox switched off it does so in every way to get to read mode', async () => {
    const witness = join(makeDirectory(), 'witness')
    const toml = '[shell]\nsandbox = false\n'
    const shell = await openTestShell({ host: probing({}), mode: 'write', toml })
    const command = `echo made > ${witness}`
    shell.mode = 'read'
    await expect(shell.execute({ command })).rejects.toMatchObject({ code: 'WRITE_MODE_REQUIRED' })
    expect(existsSync(witness)).toBe(false)
    shell.mode = 'write'
    expect(await shell.execute({ command })).toMatchObject({ exitCode: 0 })
    expect(existsSync(witness)).toBe(true)
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
    const made = modes.map((_, index) => existsSync(join(directory, String(index))))
    expect(made).toEqual([false, true, false, true])
  })
})
