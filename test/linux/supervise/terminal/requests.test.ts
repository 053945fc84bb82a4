import { describe, expect, it } from 'vitest'
import type { RequestProblem } from '../../../../src/base/refusal.ts'
import type { StartRequest } from '../../../../src/index.ts'
import { openTestShell } from '../../../helpers/place.ts'

const wrong: readonly [string, object, Partial<RequestProblem>][] = [
  ['no pty', { command: 'ls' }, { kind: 'wrong-type', field: 'pty' }],
  ['pty: false', { command: 'ls', pty: false }, { kind: 'wrong-type', field: 'pty' }],
  ['no command', { pty: true }, { kind: 'blank-command' }],
  [
    '0 columns',
    { command: 'ls', pty: true, columns: 0 },
    { kind: 'out-of-range', field: 'columns', got: '0' },
  ],
  [
    'half a row',
    { command: 'ls', pty: true, rows: 2.5 },
    { kind: 'out-of-range', field: 'rows', got: '2.5' },
  ],
  [
    '65536 rows',
    { command: 'ls', pty: true, rows: 65_536 },
    { kind: 'out-of-range', field: 'rows', got: '65536' },
  ],
  [
    'columns as a text',
    { command: 'ls', pty: true, columns: '80' },
    { kind: 'wrong-type', field: 'columns' },
  ],
  ['a path as the kind', { command: 'ls', pty: true, term: '../x' }, { kind: 'out-of-range', field: 'term' }],
  ['stdin', { command: 'ls', pty: true, stdin: 'x' }, { kind: 'unknown-option', field: 'stdin' }],
  ['merged', { command: 'ls', pty: true, merged: false }, { kind: 'unknown-option', field: 'merged' }],
]

describe('a request for a terminal', () => {
  it.for(wrong)('is refused: %s', async ([, request, problem]) => {
    const shell = await openTestShell()
    const started = shell.start(request as StartRequest)
    await expect(started).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      refusal: { problem },
    })
  })

  it('is refused where there is no addon, saying what is missing', async () => {
    const host = { platform: 'linux', addon: { missing: 'taken away' } } as const
    const shell = await openTestShell({ host, mode: 'write' })
    const started = shell.start({ command: 'echo ran', pty: true })
    await expect(started).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      refusal: { problem: { kind: 'no-terminal' } },
    })
  })

  it('a size, a text or a signal that there is not is refused while it runs', async () => {
    const shell = await openTestShell()
    const pty = await shell.start({ argv: ['cat'], pty: true })
    const refused = (field: string) =>
      expect.objectContaining({
        refusal: expect.objectContaining({ problem: expect.objectContaining({ field }) }),
      })
    expect(() => pty.resize(0, 24)).toThrow(refused('columns'))
    expect(() => pty.resize(Object.create(null), 24)).toThrow(refused('columns'))
    for (const data of [5, {}, null]) await expect(pty.write(data as never)).rejects.toEqual(refused('data'))
    expect(() => pty.kill('SIGNOTHING' as NodeJS.Signals)).toThrow(refused('signal'))
    pty.kill()
    await pty.result
  })

  it('with a dumb terminal around us, says xterm-256color', async () => {
    const shell = await openTestShell({ env: { TERM: 'dumb' } })
    const pty = await shell.start({ command: 'echo $TERM', pty: true })
    expect((await pty.result).output).toBe('xterm-256color\r\n')
  })
})
