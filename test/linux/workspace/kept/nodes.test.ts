import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

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
