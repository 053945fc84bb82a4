import { describe, expect, it } from 'vitest'
import type { StartRequest } from '../../src/index.ts'
import { openTestShell } from '../helpers/place.ts'

const wrong: readonly [string, object, RegExp][] = [
  ['no pty', { command: 'ls' }, /"pty" must be true/],
  ['pty: false', { command: 'ls', pty: false }, /"pty" must be true/],
  ['no command', { pty: true }, /command is empty/],
  [
    '0 columns',
    { command: 'ls', pty: true, columns: 0 },
    /"columns" must be a whole number from 1 to 65535, not 0/,
  ],
  ['half a row', { command: 'ls', pty: true, rows: 2.5 }, /"rows" must be a whole number/],
  ['65536 rows', { command: 'ls', pty: true, rows: 65_536 }, /"rows" must be/],
  ['columns as a text', { command: 'ls', pty: true, columns: '80' }, /"columns" must be a number/],
  ['a path as the kind', { command: 'ls', pty: true, term: '../x' }, /"term" must be the name of a terminal/],
  ['stdin', { command: 'ls', pty: true, stdin: 'x' }, /"stdin" is no option/],
  ['merged', { command: 'ls', pty: true, merged: false }, /"merged" is no option/],
]

describe('a request for a terminal', () => {
  it.for(wrong)('is refused: %s', async ([, request, message]) => {
    const shell = await openTestShell()
    const started = shell.start(request as StartRequest)
    await expect(started).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(message),
    })
  })

  it('is refused by execute, which gives none', async () => {
    const shell = await openTestShell()
    const request = { command: 'ls', pty: true }
    await expect(shell.execute(request)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('is refused where there is no addon, saying what is missing', async () => {
    const host = { platform: 'linux', addon: { missing: 'taken away' } } as const
    const shell = await openTestShell({ host, mode: 'write' })
    const started = shell.start({ command: 'echo ran', pty: true })
    await expect(started).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      refusal: { problem: { kind: 'no-terminal' } },
      message: expect.stringMatching(/node-pty/),
    })
  })

  it('is decided about as any other', async () => {
    const shell = await openTestShell({ toml: '[policy]\ndeny = ["ls"]' })
    await expect(shell.start({ command: 'ls', pty: true })).rejects.toMatchObject({ code: 'DENIED' })
  })

  it('throws when the program is not there: nothing ran', async () => {
    const shell = await openTestShell()
    const started = shell.start({ argv: ['no-such-program'], pty: true })
    await expect(started).rejects.toMatchObject({
      code: 'SPAWN_FAILED',
      refusal: { step: 'exec', errno: 'ENOENT' },
    })
  })

  it('a size or a signal that there is not is refused while it runs', async () => {
    const shell = await openTestShell()
    const pty = await shell.start({ argv: ['cat'], pty: true })
    expect(() => pty.resize(0, 24)).toThrow(/"columns" must be/)
    expect(() => pty.kill('SIGNOTHING' as NodeJS.Signals)).toThrow(/"signal" must be/)
    pty.kill()
    await pty.result
  })

  it('with a dumb terminal around us, says xterm-256color', async () => {
    const shell = await openTestShell({ env: { TERM: 'dumb' } })
    const pty = await shell.start({ command: 'echo $TERM', pty: true })
    expect((await pty.result).output).toBe('xterm-256color\r\n')
  })
})
