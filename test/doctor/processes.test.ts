import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { statFields, statFieldsIn } from '../../src/base/process.ts'
import { canAct, hasEnded, isAlive } from '../../src/doctor/processes.ts'

it('a process that runs or sleeps can act, whatever its name', () => {
  expect(canAct(statFields('self'))).toBe(true)
  expect(canAct(statFieldsIn('7 (a) Z 0 4) S 1 7 7 0 -1 4194304 95 0 0'))).toBe(true)
})

it('a process that is ending is not counted, though it still runs', () => {
  expect(canAct(statFieldsIn('5732 (sleep) R 1 5732 5732 0 -1 4195340 95 0 0'))).toBe(false)
})

it('a zombie cannot, and what is gone is not alive', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  expect(isAlive(pid)).toBe(true)
  const reaped = once(child, 'exit')
  child.kill('SIGKILL')
  expect(await hasEnded(pid, 5000)).toBe(true)
  await reaped
  expect(isAlive(pid)).toBe(false)
  expect(canAct(statFieldsIn('5 (sleep) Z 1 5 5 0 -1 4228364 0 0'))).toBe(false)
})
