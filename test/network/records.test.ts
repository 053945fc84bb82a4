import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Records } from '../../src/network/records.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heldBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

it('a command that asks for ever new hosts fills no memory', () => {
  const records = new Records()
  const ask = (first: number, count: number) => {
    for (let i = first; i < first + count; i++)
      records.add({ kind: 'name', name: `${i}.${'x'.repeat(200)}` }, 443, 'not-listed', undefined)
  }
  ask(0, 1000)
  const before = heldBytes()
  ask(1000, 50_000)
  expect(heldBytes() - before).toBeLessThan(1_000_000)
  ask(0, 1)
  const [first, ...others] = records.list()
  expect([first?.count, others.length]).toEqual([2, 999])
})
