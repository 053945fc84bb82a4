import { beforeAll, describe, expect, it } from 'vitest'
import { containerMemoryHint } from '../../../src/messages/limits.ts'
import { missingEngine, openDockerShell, startEngine, type TestEngine } from './engine.ts'

const missing = missingEngine()
const skipped = missing === null ? '' : ` (skipped: ${missing})`
/** Holds more than the container has, in a variable of the shell's. */
const greedy = 'x=$(head -c 200000000 /dev/zero | tr "\\0" x); echo "$x" | wc -c'

describe.skipIf(missing !== null)(`a container's memory${skipped}`, () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startEngine()
  })

  it.each(['read', 'write'] as const)(
    'a full /tmp is an error of its writer and leaves memory for the next commands: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine, { mode, toml: 'memory = "64m"\n' })
      const filling = await shell.execute({ command: 'cat /dev/zero > /tmp/full; df -k /tmp | tail -1' })
      expect(filling.output).toMatch(/no space left/i)
      expect(Number(filling.stdout.trim().split(/\s+/)[1])).toBeLessThanOrEqual(32 * 1024)
      expect(filling.limited).toBeUndefined()
      for (let round = 0; round < 3; round++)
        expect((await shell.execute({ command: 'ls / | wc -l' })).exitCode).toBe(0)
    },
  )

  it.each([
    ['64m', 8],
    ['1g', 64],
  ])('/dev/shm has an eighth of the memory, and at most 64 MiB: %s', async (memory, mebibytes) => {
    const shell = await openDockerShell(engine, { toml: `memory = "${memory}"\n` })
    const { stdout } = await shell.execute({ command: 'df -k /dev/shm | tail -1' })
    expect(Number(stdout.trim().split(/\s+/)[1])).toBe(mebibytes * 1024)
  })

  it.each(['read', 'write'] as const)(
    'a command that the kernel kills for memory is limited, and says so: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine, { mode, toml: 'memory = "64m"\n' })
      await shell.execute({ command: 'head -c 30000000 /dev/zero > /tmp/kept' })
      const result = await shell.execute({ command: greedy, timeoutMs: 60_000 })
      const value = 64 * 1024 ** 2
      expect(result).toMatchObject({
        limited: 'memory',
        outcome: { kind: 'limited', limit: 'memory', value, container: true },
        failure: { kind: 'limit' },
      })
      expect(result.hint).toContain(containerMemoryHint(value))
      // Its container is replaced, and with it what filled /tmp.
      expect((await shell.execute({ command: 'test -e /tmp/kept || echo new' })).stdout).toBe('new\n')
    },
  )
})
