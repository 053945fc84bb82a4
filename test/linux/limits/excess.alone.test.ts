import { chownSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { resultText } from '../../../src/messages/answer.ts'
import { limitReached } from '../../../src/messages/limits.ts'
import { endLines, Home } from '../../cli/vitrine.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { nobody, whyNot } from '../../helpers/other-users.ts'
import { openTestShell } from '../../helpers/place.ts'
import { survivors } from '../../helpers/processes.ts'
import { commandsOf, startHost } from '../watcher/hosts.ts'
import { compileHungry, mebibyte } from './hungry.ts'

/** Lines that go over a limit; where nothing stopped one, it would end by itself. */
const excesses = [
  ['memory', 100 * mebibyte, 'filled as fast as it goes, deaf to SIGTERM', 'exec $H memory 1500 $M'],
  ['memory', 100 * mebibyte, 'each of eight children a part of it', 'exec $H unshared 25 $M'],
  ['memory', 100 * mebibyte, 'in a file in memory that is not mapped', 'exec $H memfd 1000 $M'],
  ['memory', 1, 'where not even a shell has room', 'true'],
  ['cpu', 1, 'in a loop, deaf to SIGTERM', 'exec $H spin 0 $M'],
  ['cpu', 1, 'in short children that are waited for', 'exec $H children 0 $M'],
  ['cpu', 1, 'in a row of processes that are not waited for', 'exec $H row 0 $M'],
  ['processes', 20, 'in a bomb, each deaf and in a group of its own', 'exec $H bomb 1500 $M'],
] as const
const keys = { memory: 'memory_bytes', cpu: 'cpu_seconds', processes: 'processes' } as const

/** Lines that stay below their limits, whatever a careless count would make of them. */
const spared = [
  ['memory that eight children share is there once', 'memory_bytes = 104857600', 'exec $H shared 60 $M'],
  [
    'a shell with children of its own is small',
    'memory_bytes = 20971520',
    'for i in 1 2 3 4 5 6; do ls / | sort | tail -1 >/dev/null; done',
  ],
  [
    'files that are read are not memory',
    'memory_bytes = 20971520',
    `cat ${process.execPath} | wc -c >/dev/null; sleep 0.1`,
  ],
  [
    'all limits at once, far away',
    'memory_bytes = 1073741824\ncpu_seconds = 60\nprocesses = 200\nopen_files = 256',
    'ls -R /usr/include | sort | uniq | wc -l | grep -c . >/dev/null',
  ],
] as const

let withHungry: ReturnType<typeof compileHungry>

beforeAll(() => {
  withHungry = compileHungry()
})

const asked = { timeoutMs: 20_000, inlineChars: 1000 }

describe.for(['read', 'write'] as const)('in %s mode', (mode) => {
  it.for(excesses)('%s, over %s, %s: ended, named, and nothing is left', async ([limit, value, , line]) => {
    const marker = ownMarker()
    const shell = await openTestShell({ mode, toml: `[limits]\n${keys[limit]} = ${value}\n` })
    const result = await shell.execute({ command: withHungry(marker, line), timeoutMs: 20_000 })
    expect(result.outcome).toEqual({ kind: 'limited', limit, value })
    expect(result.limited).toBe(limit)
    expect(result.timedOut).toBe(false)
    expect(result.failure).toMatchObject({ kind: 'limit', retryable: true })
    expect(resultText(result, asked)).toContain(`[killed: ${limitReached({ limit, value })}. `)
    expect(await survivors(marker)).toEqual([])
  })

  it.for(spared)('%s: it ends by itself', async ([, toml, line]) => {
    const marker = ownMarker()
    const shell = await openTestShell({ mode, toml: `[limits]\n${toml}\n` })
    const result = await shell.execute({ command: withHungry(marker, line), timeoutMs: 20_000 })
    expect(result.outcome).toEqual({ kind: 'exited', code: 0 })
    expect(result).not.toHaveProperty('limited')
  })
})

// The grace is longer than a test may take.
const toml = '[shell]\nkill_grace_ms = 60000\n[limits]\nmemory_bytes = 100000000\n'

it.for(['read', 'write'] as const)(
  'a limit that is reached in the grace after a deadline leaves the command timed out: %s',
  async (mode) => {
    const marker = ownMarker()
    const shell = await openTestShell({ mode, toml })
    const command = withHungry(marker, "trap 'exec $H memory 1500 $M' TERM; sleep $M & wait")
    const result = await shell.execute({ command, timeoutMs: 300 })
    expect(result.outcome).toEqual({ kind: 'timed-out', afterMs: 300 })
    expect(result).not.toHaveProperty('limited')
    expect(await survivors(marker)).toEqual([])
  },
)

it.for(['read', 'write'])(
  'a host that is killed leaves nothing of a limited command of %s mode',
  async (mode) => {
    const marker = ownMarker()
    const line = `trap '' TERM HUP; sleep ${marker} & sleep ${marker} & echo started; sleep ${marker}`
    const before = `export VITRINE_LIMITS_MEMORY_BYTES=200000000 VITRINE_LIMITS_PROCESSES=40`
    const host = startHost('wait', mode, [line], { before })
    await host.ready
    expect(commandsOf(host, marker).length).toBeGreaterThanOrEqual(3)
    await host.kill()
    expect(await survivors(marker)).toEqual([])
  },
)

const asRoot = process.getuid?.() === 0
const reason = asRoot ? whyNot(nobody) : null

describe.skipIf(reason)(`the command line as an ordinary user${reason ? `: ${reason}` : ''}`, () => {
  describe.for(['read', 'write'] as const)('in %s mode', (mode) => {
    it.for(excesses)('%s, over %s, %s: 137, and why', async ([limit, value, , line]) => {
      const marker = ownMarker()
      const home = new Home()
      if (asRoot) chownSync(home.directory, nobody.uid, nobody.gid)
      const name = `VITRINE_LIMITS_${keys[limit].toUpperCase()}`
      const ran = await home.run(
        ['run', ...(mode === 'write' ? ['--write'] : []), '--', withHungry(marker, line)],
        { cwd: '/', env: { ...home.env, [name]: String(value) }, ...(asRoot ? { uid: nobody.uid } : {}) },
      )
      expect(ran.stderr).toContain(endLines({ kind: 'limited', limit, value }))
      expect(ran.code).toBe(137)
      expect(await survivors(marker)).toEqual([])
    })
  })
})
