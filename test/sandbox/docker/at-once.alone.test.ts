import { beforeAll, describe, expect, it } from 'vitest'
import { containersOf, missingEngine, openDockerShell, startEngine, type TestEngine } from './engine.ts'

const missing = missingEngine()
const skipped = missing === null ? '' : ` (skipped: ${missing})`

describe.skipIf(missing !== null)(`many commands at once${skipped}`, () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startEngine()
  })

  it.each(['read', 'write'] as const)(
    '50 of a shell all run: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine, { mode })
      const commands = Array.from({ length: 50 }, (_, index) => ({
        command: `echo ${index}`,
        timeoutMs: 120_000,
      }))
      const results = await Promise.all(commands.map((command) => shell.execute(command)))
      expect(results.map(({ stdout }) => stdout)).toEqual(commands.map((_, index) => `${index}\n`))
      await shell.close()
      expect(await containersOf(engine, shell)).toEqual([])
    },
    180_000,
  )

  it('50 that need a container each all run', async () => {
    const shell = await openDockerShell(engine, { privateTmp: true })
    const command = 'test ! -e /tmp/x && echo alone > /tmp/x && cat /tmp/x'
    const running = Array.from({ length: 50 }, () => shell.execute({ command, timeoutMs: 180_000 }))
    for (const { stdout } of await Promise.all(running)) expect(stdout).toBe('alone\n')
  }, 240_000)
})
