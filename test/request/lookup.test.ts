import { stat } from 'node:fs'
import { expect, it } from 'vitest'
import { answered, isUnanswered } from '../../src/request/lookup.ts'

/** Blocks the event loop for 60 ms in each of its turns, until the work is over. */
async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  let isOver = false
  const block = () => {
    for (const until = performance.now() + 60; performance.now() < until; );
    if (!isOver) setImmediate(block)
  }
  setImmediate(block)
  return work().finally(() => {
    isOver = true
  })
}

const look = () => new Promise<void>((resolve) => stat('/', () => resolve()))

it('a host that is busy itself does not take a file system for one that does not answer', async () => {
  const steps = async () => {
    for (let step = 0; step < 30; step++) await look()
    return 'found'
  }
  expect(await whileBusy(() => answered(steps, 80))).toBe('found')
})

it('a file system that does not answer is told as one, also by a busy host', async () => {
  let answer = () => {}
  const late = new Promise<void>((resolve) => {
    answer = resolve
  })
  await expect(whileBusy(() => answered(() => late, 80))).rejects.toSatisfy(isUnanswered)
  answer()
})
