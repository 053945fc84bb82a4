import { describe, expect, it } from 'vitest'
import type { LineState } from '../../src/request/line-state.ts'
import { openTestShell } from '../helpers/place.ts'

const tries = 150

describe.each(['read', 'write'] as const)('a line of a session in a terminal, in %s mode', (mode) => {
  // Its report has a pipe of its own: it may reach the host before the event that says that the line has started.
  it('ends by itself, however short it is', { retry: 0 }, async () => {
    const shell = await openTestShell({ mode })
    const states: LineState[] = []
    const options = { line: { onState: (state: LineState) => states.push(state) } }
    for (let at = 0; at < tries; at++) {
      const pty = await shell.start({ command: ':', pty: true, timeoutMs: 30_000 }, options)
      expect((await pty.result).outcome).toEqual({ kind: 'exited', code: 0 })
    }
    expect(states).toHaveLength(tries)
  })
})
