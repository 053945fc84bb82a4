import { stat } from 'node:fs'
import { expect, it } from 'vitest'
import { answered, isUnanswered } from '../../src/request/lookup.ts'

function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

const look = () => new Promise<void>((resolve) => stat('/', () => resolve()))

it('a host that is busy itself does not take a file system for one that does not answer', async () => {
  let isOver = false
  const busy = () => {
    block(60)
    if (!isOver) setImmediate(busy)
  }
  setImmediate(busy)
  const work = async () => {
    for (let step = 0; step < 30; step++) await look()
    return 'found'
  }
  expect(await answered(work, 80)).toBe('found')
  isOver = true
})

it('a file system that does not answer is told as one, also by a busy host', async () => {
  let isOver = false
  const busy = () => {
    block(60)
    if (!isOver) setImmediate(busy)
  }
  setImmediate(busy)
  let answer = () => {}
  const late = new Promise<void>((resolve) => {
    answer = resolve
  })
  await expect(answered(() => late, 80)).rejects.toSatisfy(isUnanswered)
  isOver = true
  answer()
})
