import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { trust } from '../../src/config/trust.ts'
import { setBy } from '../../src/messages/project.ts'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'

let project = ''
let file = ''

beforeEach(() => {
  project = makeDirectory()
  file = join(project, '.vitrine.toml')
  mkdirSync(join(project, '.git'))
})

function open(toml: string, options: TestShellOptions = {}): Promise<Shell> {
  writeFileSync(file, toml)
  return openTestShell({ cwd: project, ...options })
}

async function refusalOf(shell: Shell, command: string): Promise<{ code: string; message: string }> {
  return shell.execute({ command }).then(
    () => ({ code: 'ran', message: '' }),
    (error: { code: string; message: string }) => error,
  )
}

describe('an untrusted project file', () => {
  it('does not switch the sandbox off', async () => {
    const shell = await open('[shell]\nsandbox = false\n')
    expect((await shell.execute({ command: 'echo a' })).output).toBe('a\n')
    expect(shell.ignored).toMatchObject([{ key: 'shell.sandbox', file, line: 2, why: 'needs-trust' }])
  })

  it('does not give commands of read mode a directory to write to', async () => {
    const shell = await open('[shell]\nprivate_tmp = true\n')
    expect((await shell.execute({ command: 'touch "$TMPDIR/x"' })).exitCode).not.toBe(0)
    expect(shell.ignored).toMatchObject([{ key: 'shell.private_tmp', file, line: 2, why: 'loosens' }])
  })
})

describe('a message that follows from a project file names it', () => {
  it('where it is trusted and switches the sandbox off', async () => {
    writeFileSync(file, '[shell]\nsandbox = false\n')
    const state = makeDirectory()
    trust(file, { XDG_STATE_HOME: state })
    const shell = await openTestShell({ cwd: project, env: { XDG_STATE_HOME: state } })
    expect(await refusalOf(shell, 'echo a')).toMatchObject({
      code: 'WRITE_MODE_REQUIRED',
      message: expect.stringContaining(file),
    })
  })

  it('where it makes write mode into read mode', async () => {
    const shell = await open('[shell]\nmode = "read"\n', { toml: '[shell]\nmode = "write"\n' })
    expect((await shell.execute({ command: 'touch x' })).hint).toContain(setBy('shell.mode', file))
  })

  it('and only then', async () => {
    const shell = await open('[shell]\ntimeout_ms = 20000\n')
    for (const command of ['true', 'false', 'touch x'])
      expect((await shell.execute({ command })).hint ?? '').not.toContain(file)
  })
})
