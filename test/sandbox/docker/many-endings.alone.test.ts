import { beforeAll, describe, expect, it } from 'vitest'
import type { Shell } from '../../../src/shell.ts'
import {
  containersOf,
  eventually,
  missingEngine,
  openDockerShell,
  startEngine,
  type TestEngine,
} from './engine.ts'

const missing = missingEngine()
const skipped = missing === null ? '' : ` (skipped: ${missing})`

describe.skipIf(missing !== null)(`many endings${skipped}`, () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startEngine()
  })

  /** Three of four end at a deadline that comes at another moment each time, the fourth is cancelled. */
  async function endOne(shell: Shell, round: number) {
    const isCancelled = round % 4 === 3
    const afterMs = isCancelled ? 300 : 250 + ((round * 7) % 64)
    const signal = isCancelled ? AbortSignal.timeout(afterMs) : undefined
    const timeoutMs = isCancelled ? 30_000 : afterMs
    const result = await shell.execute({ command: 'sleep 600; echo rest', timeoutMs }, { signal })
    expect(result.outcome.kind).toBe(isCancelled ? 'cancelled' : 'timed-out')
    expect(result.exitCode).not.toBe(0)
    expect(result.stdout).toBe('')
  }

  /** Ends commands in a shell of its own; the engine serves several at once. */
  async function endMany(mode: 'read' | 'write', rounds: readonly number[]): Promise<void> {
    const shell = await openDockerShell(engine, { mode })
    for (const round of rounds) await endOne(shell, round)
    expect((await containersOf(engine, shell)).filter(({ State }) => State === 'paused')).toEqual([])
    await shell.close()
    const next = await openDockerShell(engine, { mode })
    expect((await next.execute({ command: 'echo next' })).stdout).toBe('next\n')
    await next.close()
    for (const one of [shell, next])
      await eventually(async () => (await containersOf(engine, one)).length === 0, 'no container is left')
  }

  it.each([
    ['read', 350],
    ['write', 150],
  ] as const)(
    'after deadlines and cancels in %s mode (%i) nothing is paused and the next shell opens',
    async (mode, count) => {
      const rounds = Array.from({ length: count }, (_, round) => round)
      const shares = [0, 1, 2].map((share) => rounds.filter((round) => round % 3 === share))
      await Promise.all(shares.map((share) => endMany(mode, share)))
    },
    900_000,
  )
})
