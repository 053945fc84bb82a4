import { expect, it } from 'vitest'
import type { Shell } from '../../../src/shell.ts'
import { containersOf, describeEngine, eventually, openDockerShell } from './engine.ts'

describeEngine('many commands at once', (engine) => {
  it.each(['read', 'write'] as const)(
    '50 of a shell all run: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine(), { mode })
      const commands = Array.from({ length: 50 }, (_, index) => ({
        command: `echo ${index}`,
        timeoutMs: 120_000,
      }))
      const results = await Promise.all(commands.map((command) => shell.execute(command)))
      expect(results.map(({ stdout }) => stdout)).toEqual(commands.map((_, index) => `${index}\n`))
      await shell.close()
      expect(await containersOf(engine(), shell.cwd)).toEqual([])
    },
    180_000,
  )

  it('50 that need a container each all run', async () => {
    const shell = await openDockerShell(engine(), { privateTmp: true })
    const command = 'test ! -e /tmp/x && echo alone > /tmp/x && cat /tmp/x'
    const running = Array.from({ length: 50 }, () => shell.execute({ command, timeoutMs: 180_000 }))
    for (const { stdout } of await Promise.all(running)) expect(stdout).toBe('alone\n')
  }, 240_000)
})

describeEngine('many endings', (engine) => {
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
    const shell = await openDockerShell(engine(), { mode })
    for (const round of rounds) await endOne(shell, round)
    expect((await containersOf(engine(), shell.cwd)).filter(({ State }) => State === 'paused')).toEqual([])
    await shell.close()
    const next = await openDockerShell(engine(), { mode })
    expect((await next.execute({ command: 'echo next' })).stdout).toBe('next\n')
    await next.close()
    for (const one of [shell, next])
      await eventually(
        async () => (await containersOf(engine(), one.cwd)).length === 0,
        'no container is left',
      )
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
