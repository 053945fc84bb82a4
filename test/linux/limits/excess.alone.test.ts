import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { limitReached } from '../../../src/messages/limits.ts'
import { resultText } from '../../../src/messages/mcp/tool.ts'
import { openTestShell } from '../../helpers/place.ts'
import { endAll, makeMarker, survivors } from '../../helpers/processes.ts'
import { compileHungry, excesses, spared } from './hungry.ts'

let hungry: string
let marker = makeMarker()

beforeAll(() => {
  hungry = compileHungry()
})

afterEach(async () => {
  await endAll(marker)
})

const asked = { timeoutMs: 20_000, inlineChars: 1000 }

describe.for(['read', 'write'] as const)('in %s mode', (mode) => {
  it.for(excesses)('$name: ended, named, and nothing is left', async ({ limit, key, value, line }) => {
    marker = makeMarker()
    const shell = await openTestShell({ mode, toml: `[limits]\n${key} = ${value}\n` })
    const result = await shell.execute({ command: line(hungry, marker), timeoutMs: 20_000 })
    expect(result.outcome).toEqual({ kind: 'limited', limit, value })
    expect(result.limited).toBe(limit)
    expect(result.timedOut).toBe(false)
    expect(result.failure).toMatchObject({ kind: 'limit', retryable: true })
    expect(resultText(result, asked)).toContain(`[killed: ${limitReached({ limit, value })}. `)
    expect(await survivors(marker)).toEqual([])
  })

  it.for(spared)('$name: it ends by itself', async ({ toml, line }) => {
    marker = makeMarker()
    const shell = await openTestShell({ mode, toml: `[limits]\n${toml}\n` })
    const result = await shell.execute({ command: line(hungry, marker), timeoutMs: 20_000 })
    expect(result.outcome).toEqual({ kind: 'exited', code: 0 })
    expect(result).not.toHaveProperty('limited')
  })

  it('ends a command over a limit even if it traps the signal', async () => {
    marker = makeMarker()
    const shell = await openTestShell({ mode, toml: '[limits]\nprocesses = 3\n' })
    const sleeper = `sleep ${marker} & `
    const result = await shell.execute({ command: `trap '' TERM HUP INT; ${sleeper.repeat(6)} wait` })
    expect(result.limited).toBe('processes')
    expect(await survivors(marker)).toEqual([])
  })
})
