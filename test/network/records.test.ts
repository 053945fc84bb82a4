import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Records } from '../../src/network/gate.ts'

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

const open = (records: Records, name: string, reason?: 'not-listed') =>
  records.add({ kind: 'name', name }, 443, reason, undefined)

it('tells an allowed connection after many refused ones, and after many hosts of a wildcard', () => {
  const records = new Records()
  for (let i = 0; i < 2000; i++) open(records, `${i}.refused`, 'not-listed')
  for (let i = 0; i < 1000; i++) open(records, 'a.allowed')
  for (let i = 0; i < 1500; i++) open(records, `${i % 500}.allowed`).sent += 1
  const allowed = () =>
    records.list().filter(({ verdict, host }) => verdict === 'allowed' && host !== 'a.allowed')
  expect(allowed().map(({ host }) => host)).toEqual(Array.from({ length: 500 }, (_, i) => `${i}.allowed`))
  expect(allowed().every(({ sent, count }) => sent === 3 && count === 3)).toBe(true)
  for (let i = 0; i < 50_000; i++) open(records, `${i}.wild`).sent += 1
  const told = allowed()
  expect(told).toHaveLength(1001)
  expect(told.at(-1)).toMatchObject({ host: '*', port: 443, count: 49_500, sent: 49_500 })
})
