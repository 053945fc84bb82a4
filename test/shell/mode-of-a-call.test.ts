import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/index.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

/** A shell in a workspace, and whether a file was made beside it. */
async function open(mode: Mode, toml = '') {
  const outside = makeDirectory()
  const cwd = makeDirectory()
  const shell = await openTestShell({ cwd, mode, toml })
  const made = () => [join(cwd, 'in'), join(outside, 'out')].map((path) => existsSync(path))
  return { shell, made, command: `echo > in; echo > '${join(outside, 'out')}'` }
}

describe.runIf(process.platform === 'linux')('the mode of a call', () => {
  it.each<[Mode, Mode, boolean, boolean]>([
    ['write', 'read', false, false],
    ['write', 'workspace', true, false],
    ['write', 'write', true, true],
    ['workspace', 'read', false, false],
    ['workspace', 'workspace', true, false],
  ])('in a shell in %s mode a call in %s mode is held by its own', async (shells, mode, inside, outside) => {
    const { shell, made, command } = await open(shells)
    expect(await shell.execute({ command, mode })).toMatchObject({ mode })
    expect(made()).toEqual([inside, outside])
    expect(shell.mode).toBe(shells)
  })

  it.each<[Mode, Mode]>([
    ['read', 'workspace'],
    ['read', 'write'],
    ['workspace', 'write'],
  ])('in a shell in %s mode a call in %s mode does not run', async (shells, mode) => {
    const { shell, made, command } = await open(shells)
    const refused = { code: 'INVALID_REQUEST', message: expect.stringContaining('"mode" must be read') }
    await expect(shell.execute({ command, mode })).rejects.toMatchObject(refused)
    await expect(shell.executeAll([{ command, mode }])).rejects.toMatchObject(refused)
    await expect(shell.decide({ command, mode })).rejects.toMatchObject(refused)
    expect(made()).toEqual([false, false])
  })

  it('calls of several modes run side by side, each held by its own', async () => {
    const { shell, made, command } = await open('write')
    const modes = ['read', 'workspace', 'read'] as const
    const results = await Promise.all(modes.map((mode) => shell.execute({ command, mode })))
    expect(results.map(({ mode }) => mode)).toEqual(modes)
    expect(made()).toEqual([true, false])
  })

  it('is refused like the shell’s where commands need write mode', async () => {
    const { shell } = await open('write', '[shell]\nsandbox = false\n')
    const call = shell.execute({ command: 'true', mode: 'read' })
    await expect(call).rejects.toMatchObject({ code: 'WRITE_MODE_REQUIRED' })
  })

  it('is that of a command in a terminal too', async () => {
    const { shell, made, command } = await open('write')
    const { result } = await shell.start({ command, mode: 'read', pty: true })
    expect(await result).toMatchObject({ mode: 'read' })
    expect(made()).toEqual([false, false])
  })
})
