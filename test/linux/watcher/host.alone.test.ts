import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeMemoryGroup } from '../../helpers/cgroup.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { aliveWith, allProcesses, survivors, waitFor } from '../../helpers/processes.ts'
import { repository } from '../../helpers/programs.ts'
import { clearedMarker, compilePrograms, escapes, leftOf, type Programs } from '../supervise/escapes.ts'
import { commandsOf, startHost, watchersOf } from './hosts.ts'

let programs: Programs
const marked = () => clearedMarker(programs)

beforeAll(() => {
  programs = compilePrograms()
})

describe('when the host dies', () => {
  it.for(escapes)('by SIGKILL, nothing of read mode is left: $name', async ({ stays }) => {
    const marker = marked()
    const host = startHost('wait', 'read', [stays(programs, marker)])
    await host.ready
    expect(commandsOf(host, marker)).not.toEqual([])
    await host.kill()
    expect(await leftOf(programs, marker)).toEqual([])
  })

  it.for(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)(
    'by %s, 12 commands at once are gone, daemons and the watcher too',
    async (signal) => {
      const marker = marked()
      const line = `${programs.daemon} 2 stay ${marker}`
      const host = startHost(
        'wait',
        'read',
        Array.from({ length: 12 }, () => line),
      )
      await host.ready
      expect(commandsOf(host, marker).length).toBeGreaterThanOrEqual(36)
      const watchers = watchersOf(host.child.pid)
      expect(watchers).toHaveLength(1)
      await host.kill(signal)
      expect(await leftOf(programs, marker)).toEqual([])
      const isGone = () => !allProcesses().some(({ pid, running }) => watchers.includes(pid) && running)
      expect(await waitFor(isGone)).toBe(true)
    },
  )

  it('for want of memory, nothing is left', async ({ skip }) => {
    const group = makeMemoryGroup(400 * 1024 * 1024)
    if (typeof group === 'string') return skip(group)
    onTestFinished(async () => void (await waitFor(group.remove)))
    const marker = marked()
    const lines = [
      `${programs.daemon} 5 stay ${marker}`,
      `${programs.bomb} 100 stay ${marker}`,
      `trap '' TERM; echo started; sleep ${marker}`,
    ]
    const host = startHost('memory', 'read', lines, { before: group.enter })
    await host.ready
    await host.ended
    expect(group.kills()).toBeGreaterThan(0)
    expect(await leftOf(programs, marker)).toEqual([])
  })

  describe('in write mode', () => {
    const inForeground = escapes.filter(({ name }) => !/fork bomb|comet/.test(name))

    it.for(inForeground)('what a running command started is gone: $name', async ({ stays }) => {
      const marker = marked()
      const host = startHost('wait', 'write', [stays(programs, marker)])
      await host.ready
      expect(commandsOf(host, marker)).not.toEqual([])
      await host.kill()
      expect(await leftOf(programs, marker)).toEqual([])
    })

    it('what a finished command left in the background lives on', async () => {
      const marker = marked()
      const kept = ownMarker()
      const background = `${programs.daemon} 2 exit ${kept}; sleep ${kept} & echo started`
      const host = startHost('wait', 'write', [background, `${programs.daemon} 2 stay ${marker}`])
      await Promise.all([host.ready, host.finished])
      expect(commandsOf(host, kept)).toHaveLength(3)
      await host.kill()
      expect(await leftOf(programs, marker)).toEqual([])
      expect(commandsOf(host, kept)).toHaveLength(3)
    })
  })

  it('another host, and what it runs, is left alone', async () => {
    const marker = marked()
    const other = ownMarker()
    const bystander = startHost('wait', 'read', [`echo started; sleep ${other}`])
    const host = startHost('wait', 'read', [`echo started; sleep ${marker}`])
    await Promise.all([host.ready, bystander.ready])
    await host.kill()
    expect(await leftOf(programs, marker)).toEqual([])
    expect(aliveWith(other).filter((pid) => pid !== bystander.child.pid)).not.toEqual([])
    await bystander.kill()
    expect(await survivors(other)).toEqual([])
  })
})

describe('a host that is blocked', () => {
  const fixture = join(repository, 'test/fixtures/host/blocked.mjs')
  /** A grace that is not over before a test is, and one that is. */
  const longGrace = '[shell]\nkill_grace_ms = 30000\n'
  const shortGrace = '[shell]\nkill_grace_ms = 100\n'
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

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
  function ticking(marker: string, rest = ''): string {
    return `${rest} echo started "$TMPDIR/ticks"; while :; do printf x >> "$TMPDIR/ticks"; sleep 0.02; : ${marker}; done`
  }

  const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0)

  describe.each(['read', 'write'] as const)('a host that is blocked, in %s mode', (mode) => {
    it('its command is asked to end at the deadline, and ends', async () => {
      const marker = ownMarker()
      const host = await blockedHost({ mode, timeoutMs: 2000, toml: longGrace, command: ticking(marker) })
      const ticks = host.said.replace('started ', '')
      expect(await survivors(marker)).toEqual([])
      const size = sizeOf(ticks)
      await pause(200)
      expect(sizeOf(ticks)).toBe(size)
      expect(await host.outcome()).toMatchObject({ outcome: { kind: 'timed-out', afterMs: 2000 } })
    })

    it('what does not heed that is killed after the grace, with everything it started', async () => {
      const marker = ownMarker()
      const command = ticking(marker, `trap 'echo asked' TERM; (trap '' TERM; exec sleep ${marker}) &`)
      const host = await blockedHost({ mode, timeoutMs: 2000, toml: shortGrace, command })
      expect(await survivors(marker)).toEqual([])
      const told = await host.outcome()
      expect(told.outcome).toEqual({ kind: 'timed-out', afterMs: 2000 })
      expect(told.stdout.match(/asked/g)).toEqual(['asked'])
    })

    it('what was aborted before is killed after the grace', async () => {
      const marker = ownMarker()
      const command = ticking(marker, `trap '' TERM;`)
      const asked = { mode, timeoutMs: 60_000, toml: shortGrace, command, when: 'abort' } as const
      const host = await blockedHost(asked)
      expect(await survivors(marker)).toEqual([])
      expect((await host.outcome()).outcome).toEqual({ kind: 'cancelled' })
    })
  })
})
