import { AsyncLocalStorage } from 'node:async_hooks'
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

  it("ends the command when it rejects with a library's own promise", async () => {
    const shell = await openTestShell({ mode })
    const marker = makeMarker()
    // biome-ignore lint/suspicious/noThenProperty: such objects are the point
    const rejecting = { then: (_: unknown, reject: (cause: unknown) => void) => void reject('own') }
    const onOutput = () => rejecting as unknown as Promise<void>
    const command = `echo told; exec sleep ${marker}`
    expect((await rejection(shell.execute({ command }, { onOutput }))).cause).toBe('own')
    expect(aliveWith(marker)).toEqual([])
  })

  it('may throw a value that cannot be converted to text', async () => {
    const shell = await openTestShell({ mode })
    const cause = Object.create(null)
    const onOutput = () => {
      throw cause
    }
    const error = await rejection(shell.execute({ command: 'echo told' }, { onOutput }))
    expect(error).toMatchObject({ code: 'LISTENER_FAILED', cause, result: { stdout: 'told\n' } })
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

  it('ends a list at the command that it failed at', async () => {
    const shell = await openTestShell({ mode })
    const seen: string[] = []
    const onOutput = (_: string, chunk: Buffer) => {
      seen.push(chunk.toString())
      if (seen.length === 2) throw 'enough'
    }
    const error = await rejection(shell.executeAll(['echo 1', 'echo 2', 'echo 3'], { onOutput }))
    expect(error.cause).toBe('enough')
    expect(seen).toEqual(['1\n', '2\n'])
  })
})

it.each(['read', 'write'] as const)(
  '%s mode: onOutput finds the asynchronous context of its call',
  async (mode) => {
    const shell = await openTestShell({ mode })
    const storage = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const options = { onOutput: () => void seen.push(storage.getStore()) }
    const run = (name: string) => storage.run(name, () => shell.execute({ command: 'echo x' }, options))
    await run('first')
    await run('second')
    expect(seen).toEqual(['first', 'second'])
  },
)

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
