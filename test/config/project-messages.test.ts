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

  it('takes that directory away', async () => {
    const shell = await open('[shell]\nprivate_tmp = false\n', { toml: '[shell]\nprivate_tmp = true\n' })
    expect((await shell.execute({ command: 'touch "$TMPDIR/x"' })).exitCode).not.toBe(0)
  })
})

describe('a message that follows from a project file names it', () => {
  const write = { mode: 'write' } as const

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

  it.each([
    ['a deny rule', 'deny = ["forbidden"]', 'forbidden'],
    [
      'a rule with a reason',
      'rule = [{ prefix = ["forbidden"], verdict = "deny", reason = "use write mode" }]',
      'forbidden',
    ],
    ['the preset', 'preset = "analysis"', 'unlisted x'],
  ])('where it denies by %s', async (_, policy, command) => {
    const shell = await open(`[policy]\n${policy}\n`, write)
    expect(await refusalOf(shell, command)).toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining(file),
    })
  })

  it('where it refuses what no approver is there to answer', async () => {
    const shell = await open('[policy]\nunattended = "deny"\n', write)
    expect(await refusalOf(shell, 'touch x')).toMatchObject({
      code: 'NOT_APPROVED',
      message: expect.stringContaining(file),
    })
  })

  it.each([
    ['a deadline', '[shell]\ntimeout_ms = 300\n', 'sleep 5', 'shell.timeout_ms'],
    ['the longest deadline', '[shell]\nmax_timeout_ms = 300\n', 'sleep 5', 'shell.max_timeout_ms'],
    ['a limit of the output', '[output]\nmax_bytes = 10\n', 'seq 100', 'output.max_bytes'],
    [
      'the length of what is shown',
      '[output]\ninline_max_chars = 10\n',
      'seq 100',
      'output.inline_max_chars',
    ],
    ['what can be read', '[shell]\nunreadable = ["kept"]\n', 'cat kept', 'shell.unreadable'],
  ] as const)('where a result follows from %s', async (_, toml, command, key) => {
    writeFileSync(join(project, 'kept'), 'x')
    const { hint } = await (await open(toml)).execute({ command })
    expect(hint).toContain(setBy(key, file))
  })

  it('where it makes write mode into read mode', async () => {
    const shell = await open('[shell]\nmode = "read"\n', { toml: '[shell]\nmode = "write"\n' })
    expect((await shell.execute({ command: 'touch x' })).hint).toContain(setBy('shell.mode', file))
  })

  it('where it protects a path of workspace mode', async () => {
    const toml = '[workspace]\nprotected = ["kept"]\n'
    const shell = await open(toml, { toml: '[shell]\nmode = "workspace"\n' })
    const { hint } = await shell.execute({ command: 'echo x > kept' })
    expect(hint).toContain(setBy('workspace.protected', file))
  })

  it('and only then', async () => {
    const shell = await open('[shell]\ntimeout_ms = 20000\n')
    for (const command of ['true', 'false', 'touch x'])
      expect((await shell.execute({ command })).hint ?? '').not.toContain(file)
  })
})
