import { describe, expect, it } from 'vitest'
import type { ListenerError } from '../../src/messages/error.ts'
import { openTestShell } from '../helpers/place.ts'
import { aliveWith, makeMarker } from '../helpers/processes.ts'

/** What a call rejects with; fails for one that resolves. */
async function rejection(call: Promise<unknown>): Promise<ListenerError> {
  return call.then(
    () => expect.fail('it resolved'),
    (error) => error,
  )
}

describe.each(['read', 'write'] as const)('%s mode: an onOutput that fails', (mode) => {
  it.each([
    [
      'throws',
      (cause: Error) => () => {
        throw cause
      },
    ],
    [
      'rejects',
      (cause: Error) => async () => {
        throw cause
      },
    ],
  ])('ends the command when it %s, and execute rejects with the result', async (_, listener) => {
    const shell = await openTestShell({ mode })
    const marker = makeMarker()
    const cause = new Error('the disk of the caller is full')
    const command = `echo told; exec sleep ${marker}`
    const error = await rejection(shell.execute({ command }, { onOutput: listener(cause) }))
    expect(error).toMatchObject({ name: 'ListenerError', code: 'LISTENER_FAILED', cause })
    expect(error.message).toContain(cause.message)
    expect(error.result).toMatchObject({ cancelled: true, stdout: 'told\n', outcome: { kind: 'cancelled' } })
    expect(aliveWith(marker)).toEqual([])
  })

  it('is not called again, and the first failure is the one that is told', async () => {
    const shell = await openTestShell({ mode })
    let calls = 0
    const onOutput = () => {
      throw new Error(`call ${++calls}`)
    }
    const command = 'trap "" TERM; while :; do echo x; done'
    const error = await rejection(shell.execute({ command }, { onOutput }))
    expect([calls, error.cause]).toEqual([1, new Error('call 1')])
  })
})

describe('an onOutput that fails in a terminal', () => {
  it('rejects the result of start', async () => {
    const shell = await openTestShell({ mode: 'read' })
    const onOutput = () => {
      throw new Error('no')
    }
    const { result } = await shell.start({ command: 'echo x; sleep 60', pty: true }, { onOutput })
    expect(await rejection(result)).toMatchObject({ code: 'LISTENER_FAILED', result: { cancelled: true } })
  })
})
