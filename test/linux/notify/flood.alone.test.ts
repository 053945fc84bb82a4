import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Result } from '../../../src/base/types.ts'
import { compileAttempts, makeGround, shorts } from './denied.ts'

/** More than can finish: it is ended once the others are done. */
const endless = 50_000_000

it('a flood of notifications of eight threads starves no other command (at most one processor)', async () => {
  const flooding = await makeGround()
  const other = await makeGround()
  const stop = new AbortController()
  const command = `echo started; exec ${compileAttempts()} flood ${flooding.file} ${endless}`
  let flood: Promise<Result> | undefined
  await new Promise<void>((started) => {
    flood = flooding.shell.execute(
      { command, timeoutMs: 120_000 },
      { signal: stop.signal, onOutput: () => started() },
    )
  })
  const [before, began] = [process.cpuUsage(), process.hrtime.bigint()]
  for (let turn = 0; turn < 5; turn++) {
    const result = await other.run('for i in 1 2 3 4 5 6 7 8 9 10; do echo x > file; done')
    expect(shorts(result)).toEqual([`write ${other.file} x10`])
  }
  const { user, system } = process.cpuUsage(before)
  const passedUs = Number(process.hrtime.bigint() - began) / 1000
  stop.abort()
  const result = await flood
  expect(result?.outcome.kind).toBe('cancelled')
  expect(result?.denials[0]?.count).toBeGreaterThan(100)
  // One notifier answers at a time; beside it there are the launcher and this thread.
  expect((user + system) / passedUs).toBeLessThan(1.6)
  expect([flooding, other].map(({ file }) => readFileSync(file, 'utf8'))).toEqual(['kept', 'kept'])
})
