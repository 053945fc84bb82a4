import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Limits } from '../../../src/launch/launch.ts'
import { resultText } from '../../../src/messages/answer.ts'
import { limitReached, openFilesHint } from '../../../src/messages/limits.ts'
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

  it('open files: a command that fails for want of them is told which limit that is', async () => {
    const shell = await openTestShell({ mode, toml: '[limits]\nopen_files = 24\n' })
    const opening = `node -e "const fs = require('fs'); for (;;) fs.openSync('/dev/null')"`
    const result = await shell.execute({ command: opening })
    expect(result).toMatchObject({ outcome: { kind: 'exited' }, failure: { kind: 'limit', retryable: true } })
    expect(result.hint).toBe(openFilesHint({ openFiles: 24 } as Limits, 1, 'EMFILE'))
    expect(resultText(result, asked)).toContain(`[${result.hint}]`)
    const loader = await openTestShell({ mode, toml: '[limits]\nopen_files = 3\n' })
    const unloaded = await loader.execute({ command: 'true' }) // no shell can load its libraries with that
    if (unloaded.exitCode !== 0)
      expect(unloaded.hint).toBe(openFilesHint({ openFiles: 3 } as Limits, 1, 'EMFILE'))
    const other = await shell.execute({ command: 'echo "Too many open files"; exit 0' })
    expect(other).not.toHaveProperty('hint')
    const unlimited = await openTestShell({ mode })
    const said = await unlimited.execute({ command: 'echo "Too many open files" >&2; exit 1' })
    expect(said.failure?.kind).toBe('non-zero')
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
