import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { resultText } from '../../../src/messages/answer.ts'
import { limitReached } from '../../../src/messages/limits.ts'
import { endLines, Home } from '../../cli/vitrine.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { nobody, whyNot } from '../../helpers/other-users.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { aliveWith, survivors } from '../../helpers/processes.ts'
import { repository } from '../../helpers/programs.ts'
import { compileHungry, excesses, spared } from './hungry.ts'

let hungry: string

beforeAll(() => {
  hungry = compileHungry()
})

const asked = { timeoutMs: 20_000, inlineChars: 1000 }

describe.for(['read', 'write'] as const)('in %s mode', (mode) => {
  it.for(excesses)('$name: ended, named, and nothing is left', async ({ limit, key, value, line }) => {
    const marker = ownMarker()
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
    const marker = ownMarker()
    const shell = await openTestShell({ mode, toml: `[limits]\n${toml}\n` })
    const result = await shell.execute({ command: line(hungry, marker), timeoutMs: 20_000 })
    expect(result.outcome).toEqual({ kind: 'exited', code: 0 })
    expect(result).not.toHaveProperty('limited')
  })

  it('ends a command over a limit even if it traps the signal', async () => {
    const marker = ownMarker()
    const shell = await openTestShell({ mode, toml: '[limits]\nprocesses = 3\n' })
    const sleeper = `sleep ${marker} & `
    const result = await shell.execute({ command: `trap '' TERM HUP INT; ${sleeper.repeat(6)} wait` })
    expect(result.limited).toBe('processes')
    expect(await survivors(marker)).toEqual([])
  })
})

describe('the first cause of an end', () => {
  const toml = '[shell]\nkill_grace_ms = 60000\n[limits]\nmemory_bytes = 100000000\n'

  describe.for(['read', 'write'] as const)('in %s mode', (mode) => {
    // The grace is longer than a test may take.
    it('a limit that is reached in the grace after a deadline ends the command as timed out', async () => {
      const marker = ownMarker()
      const shell = await openTestShell({ mode, toml })
      const command = `trap 'exec ${hungry} memory 1500 ${marker}' TERM; sleep ${marker} & wait`
      const result = await shell.execute({ command, timeoutMs: 300 })
      expect(result.outcome).toEqual({ kind: 'timed-out', afterMs: 300 })
      expect(result).not.toHaveProperty('limited')
      expect(await survivors(marker)).toEqual([])
    })

    it('a command that was called off stays cancelled', async () => {
      const marker = ownMarker()
      const shell = await openTestShell({ mode, toml: '[limits]\ncpu_seconds = 20\n' })
      const controller = new AbortController()
      const onOutput = () => controller.abort()
      const command = `echo started; ${hungry} spin 0 ${marker}`
      const result = await shell.execute({ command }, { signal: controller.signal, onOutput })
      expect(result.outcome).toEqual({ kind: 'cancelled' })
      expect(result).not.toHaveProperty('limited')
    })
  })
})

it.for(['read', 'write'])(
  'a host that is killed leaves nothing of a limited command of %s mode',
  async (mode) => {
    const marker = ownMarker()
    const script = join(repository, 'test/fixtures/host/host.mjs')
    const line = `trap '' TERM HUP; sleep ${marker} & sleep ${marker} & echo started; sleep ${marker}`
    const env = {
      ...process.env,
      VITRINE_LIMITS_MEMORY_BYTES: '200000000',
      VITRINE_LIMITS_CPU_SECONDS: '30',
      VITRINE_LIMITS_PROCESSES: '40',
      VITRINE_LIMITS_OPEN_FILES: '64',
    }
    const host = spawn(process.execPath, [script, makeDirectory(), 'wait', mode, line], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env,
    })
    const ended = once(host, 'exit')
    await once(host.stdout, 'data')
    expect(aliveWith(marker).filter((pid) => pid !== host.pid).length).toBeGreaterThanOrEqual(3)
    host.kill('SIGKILL')
    await ended
    expect(await survivors(marker)).toEqual([])
  },
)

const asRoot = process.getuid?.() === 0
const reason = asRoot ? whyNot(nobody) : null

describe.skipIf(reason)(`the command line as an ordinary user${reason ? `: ${reason}` : ''}`, () => {
  describe.for(['read', 'write'] as const)('in %s mode', (mode) => {
    it.for(excesses)('$name: 137, and why', async ({ limit, key, value, line }) => {
      const marker = ownMarker()
      const home = new Home()
      if (asRoot) chownSync(home.directory, nobody.uid, nobody.gid)
      const name = `VITRINE_LIMITS_${key.toUpperCase()}`
      const ran = await home.run(
        ['run', ...(mode === 'write' ? ['--write'] : []), '--', line(hungry, marker)],
        { cwd: '/', env: { ...home.env, [name]: String(value) }, ...(asRoot ? { uid: nobody.uid } : {}) },
      )
      expect(ran.stderr).toContain(endLines({ kind: 'limited', limit, value }))
      expect(ran.code).toBe(137)
      expect(await survivors(marker)).toEqual([])
    })
  })
})
