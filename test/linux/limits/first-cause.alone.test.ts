import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestShell } from '../../helpers/place.ts'
import { endAll, makeMarker, survivors } from '../../helpers/processes.ts'
import { compileHungry } from './hungry.ts'

let hungry: string
let marker = makeMarker()

beforeAll(() => {
  hungry = compileHungry()
})

afterEach(async () => {
  await endAll(marker)
})

const toml = '[shell]\nkill_grace_ms = 60000\n[limits]\nmemory_bytes = 100000000\n'

describe.for(['read', 'write'] as const)('in %s mode', (mode) => {
  // The grace is longer than a test may take.
  it('a limit that is reached in the grace after a deadline ends the command as timed out', async () => {
    marker = makeMarker()
    const shell = await openTestShell({ mode, toml })
    const command = `trap 'exec ${hungry} memory 1500 ${marker}' TERM; sleep ${marker} & wait`
    const result = await shell.execute({ command, timeoutMs: 300 })
    expect(result.outcome).toEqual({ kind: 'timed-out', afterMs: 300 })
    expect(result).not.toHaveProperty('limited')
    expect(await survivors(marker)).toEqual([])
  })

  it('a command that was called off stays cancelled', async () => {
    marker = makeMarker()
    const shell = await openTestShell({ mode, toml: '[limits]\ncpu_seconds = 20\n' })
    const controller = new AbortController()
    const onOutput = () => controller.abort()
    const command = `echo started; ${hungry} spin 0 ${marker}`
    const result = await shell.execute({ command }, { signal: controller.signal, onOutput })
    expect(result.outcome).toEqual({ kind: 'cancelled' })
    expect(result).not.toHaveProperty('limited')
  })
})
