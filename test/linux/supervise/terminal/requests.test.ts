import { describe, expect, it } from 'vitest'
import type { StartRequest } from '../../../../src/index.ts'
import { openTestShell } from '../../../helpers/place.ts'

/** What is asked for beside a command, and of which field the answer is. */
const wrong = [
  [{ pty: undefined }, 'wrong-type', 'pty'],
  [{ pty: false }, 'wrong-type', 'pty'],
  [{ command: undefined }, 'blank-command', undefined],
  [{ columns: 0 }, 'out-of-range', 'columns'],
  [{ rows: 2.5 }, 'out-of-range', 'rows'],
  [{ rows: 65_536 }, 'out-of-range', 'rows'],
  [{ columns: '80' }, 'wrong-type', 'columns'],
  [{ term: '../x' }, 'out-of-range', 'term'],
  [{ stdin: 'x' }, 'unknown-option', 'stdin'],
  [{ merged: false }, 'unknown-option', 'merged'],
] as const

describe('a request for a terminal', () => {
  it.for(wrong)('is refused: %j', async ([more, kind, field]) => {
    const shell = await openTestShell()
    const started = shell.start({ command: 'ls', pty: true, ...more } as StartRequest)
    const problem = { kind, ...(field && { field }) }
    await expect(started).rejects.toMatchObject({ code: 'INVALID_REQUEST', refusal: { problem } })
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
