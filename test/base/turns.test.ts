import { describe, expect, it } from 'vitest'
import { Turns } from '../../src/base/turns.ts'

/** Work that ends when it is told to. */
function gate() {
  let open = () => {}
  const ended = new Promise<void>((resolve) => {
    open = resolve
  })
  return { work: () => ended, open }
}

const never = new AbortController().signal
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('begin in the order of the calls, as places get free', async () => {
    const turns = new Turns(1)
    const began: number[] = []
    const gates = [gate(), gate(), gate()]
    const calls = gates.map(({ work }, index) =>
      turns.run(() => {
        began.push(index)
        return work()
      }, never),
    )
    await settle()
    expect(began).toEqual([0])
    expect(turns.waiting).toBe(2)
    for (const [index, { open }] of gates.entries()) {
      open()
      await calls[index]
      await settle()
      expect(began).toEqual([0, 1, 2].slice(0, Math.min(3, index + 2)))
    }
  })

  it('a call that is cancelled while it waits never begins, and holds no place', async () => {
    const turns = new Turns(1)
    const first = gate()
    const running = turns.run(first.work, never)
    const stop = new AbortController()
    let began = false
    const waiting = turns.run(async () => {
      began = true
    }, stop.signal)
    stop.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    first.open()
    await running
    expect(began).toBe(false)
    await expect(turns.run(async () => 'next', never)).resolves.toBe('next')
  })

  it('with more places, an owner with none running does not wait, one with some does', async () => {
    const turns = new Turns(2, { more: 2 })
    const began: string[] = []
    const gates = ['busy', 'busy', 'busy', 'one', 'one', 'two', 'three'].map((owner) => ({
      owner,
      ...gate(),
    }))
    const calls = gates.map(({ owner, work }) =>
      turns.run(
        () => {
          began.push(owner)
          return work()
        },
        never,
        owner,
      ),
    )
    await settle()
    expect(began).toEqual(['busy', 'busy', 'one', 'two'])
    gates[0]?.open()
    await settle()
    expect(began).toEqual(['busy', 'busy', 'one', 'two', 'three'])
    for (const at of [1, 5, 6]) gates[at]?.open()
    await settle()
    expect(began.slice(5)).toEqual(['busy'])
    for (const { open } of gates) open()
    await Promise.all(calls)
    expect(began.slice(6)).toEqual(['one'])
  })
})
