import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { endAll, makeMarker, survivors } from '../../helpers/processes.ts'
import { repository } from '../../helpers/programs.ts'

const fixture = join(repository, 'test/fixtures/host/blocked.mjs')
/** A grace that is not over before a test is, and one that is. */
const longGrace = '[shell]\nkill_grace_ms = 30000\n'
const shortGrace = '[shell]\nkill_grace_ms = 100\n'
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

let marker = makeMarker()

afterEach(async () => {
  await endAll(marker)
})

interface Asked {
  readonly mode: 'read' | 'write'
  readonly timeoutMs: number
  readonly toml: string
  readonly command: string
  readonly when?: 'deadline' | 'abort'
}

/** Starts a host that has blocked itself when this resolves, with what its command had said by then. */
async function blockedHost({ mode, timeoutMs, toml, command, when = 'deadline' }: Asked) {
  const directory = makeDirectory()
  writeFileSync(join(directory, 'config.toml'), toml)
  writeFileSync(join(directory, 'line'), command) // as an argument its marker would be the host's, too
  const child = spawn(process.execPath, [fixture, directory, mode, String(timeoutMs), when], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const said = (await lines.next()).value ?? ''
  return {
    said,
    /** Lets the host go on; resolves to what it makes of the command. */
    async outcome() {
      writeFileSync(join(directory, 'release'), '')
      const told = JSON.parse((await lines.next()).value ?? '')
      await ended
      return told
    },
  }
}

/** Writes a byte to a file of its own every 20 ms, and says which. */
function ticking(rest = ''): string {
  return `${rest} echo started "$TMPDIR/ticks"; while :; do printf x >> "$TMPDIR/ticks"; sleep 0.02; : ${marker}; done`
}

const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0)

describe.each(['read', 'write'] as const)('a host that is blocked, in %s mode', (mode) => {
  it('its command is asked to end at the deadline, and ends', async () => {
    marker = makeMarker()
    const host = await blockedHost({ mode, timeoutMs: 2000, toml: longGrace, command: ticking() })
    const ticks = host.said.replace('started ', '')
    expect(await survivors(marker)).toEqual([])
    const size = sizeOf(ticks)
    await pause(200)
    expect(sizeOf(ticks)).toBe(size)
    expect(await host.outcome()).toMatchObject({ outcome: { kind: 'timed-out', afterMs: 2000 } })
  })

  it('what does not heed that is killed after the grace, with everything it started', async () => {
    marker = makeMarker()
    const command = ticking(`trap 'echo asked' TERM; (trap '' TERM; exec sleep ${marker}) &`)
    const host = await blockedHost({ mode, timeoutMs: 2000, toml: shortGrace, command })
    expect(await survivors(marker)).toEqual([])
    const told = await host.outcome()
    expect(told.outcome).toEqual({ kind: 'timed-out', afterMs: 2000 })
    expect(told.stdout.match(/asked/g)).toEqual(['asked'])
  })

  it('what was aborted before is killed after the grace', async () => {
    marker = makeMarker()
    const command = ticking(`trap '' TERM;`)
    const asked = { mode, timeoutMs: 60_000, toml: shortGrace, command, when: 'abort' } as const
    const host = await blockedHost(asked)
    expect(await survivors(marker)).toEqual([])
    expect((await host.outcome()).outcome).toEqual({ kind: 'cancelled' })
  })
})
