import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeDirectory } from '../helpers/place.ts'
import { aliveWith, allProcesses, makeMarker, survivors, waitFor } from '../helpers/processes.ts'
import { builtLibrary, repository } from '../helpers/programs.ts'
import { clearUp, compilePrograms, escapes, type Programs, whoIsLeft } from './escapes.ts'

/** How long after its host's death a command may still be there. */
const orphanMs = 2000

let programs: Programs
let marker: string

beforeAll(() => {
  builtLibrary()
  programs = compilePrograms()
})

afterEach(async () => clearUp(programs, marker))

interface Host {
  readonly child: ChildProcess
  readonly ready: Promise<unknown>
  readonly ended: Promise<unknown>
}

/** A plain node process that runs the built library. Its marker stands in the commands' arguments only. */
function startHost(end: string, mode: string, lines: readonly string[]): Host {
  const script = join(repository, 'test/fixtures/processes/host.mjs')
  const child = spawn(process.execPath, [script, makeDirectory(), end, mode, ...lines], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return { child, ready: once(child.stdout, 'data'), ended: once(child, 'exit') }
}

function watchersOf(pid: number | undefined): number[] {
  return allProcesses()
    .filter(({ parent, commandLine }) => parent === pid && commandLine.startsWith('vitrine-watcher'))
    .map(({ pid }) => pid)
}

/** Who carries the marker beside the host itself, which got it as an argument. */
function commandsOf({ child }: Host): number[] {
  return aliveWith(marker).filter((pid) => pid !== child.pid)
}

describe('when the host dies', () => {
  it.for(escapes)('by SIGKILL, nothing of read mode is left: $name', async ({ stays }) => {
    marker = makeMarker()
    const host = startHost('wait', 'read', [stays(programs, marker)])
    await host.ready
    expect(commandsOf(host)).not.toEqual([])
    host.child.kill('SIGKILL')
    await host.ended
    expect(await whoIsLeft(programs, marker, orphanMs)).toEqual([])
  })

  it.for(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)(
    'by %s, 12 commands at once are gone, daemons too',
    async (signal) => {
      marker = makeMarker()
      const line = `${programs.daemon} 2 stay ${marker}`
      const host = startHost(
        'wait',
        'read',
        Array.from({ length: 12 }, () => line),
      )
      await host.ready
      expect(commandsOf(host).length).toBeGreaterThanOrEqual(36)
      host.child.kill(signal)
      await host.ended
      expect(await whoIsLeft(programs, marker, orphanMs)).toEqual([])
    },
  )

  it.for(['exit', 'throw', 'abort'])('by its own %s, nothing is left', async (end) => {
    marker = makeMarker()
    const host = startHost(end, 'read', [
      `${programs.daemon} 5 stay ${marker}`,
      `trap '' TERM; echo started; sleep ${marker}`,
    ])
    await host.ready
    await host.ended
    expect(await whoIsLeft(programs, marker, orphanMs)).toEqual([])
  })

  it('in write mode the session of a running command is gone', async () => {
    marker = makeMarker()
    const line = `trap '' TERM HUP; sleep ${marker} & echo started; sleep ${marker}`
    const host = startHost('wait', 'write', [line])
    await host.ready
    expect(commandsOf(host).length).toBeGreaterThanOrEqual(2)
    host.child.kill('SIGKILL')
    await host.ended
    expect(await whoIsLeft(programs, marker, orphanMs)).toEqual([])
  })

  it('the watcher ends too', async () => {
    marker = makeMarker()
    const host = startHost('wait', 'read', [`echo started; sleep ${marker}`])
    await host.ready
    const [watcher = 0, ...more] = watchersOf(host.child.pid)
    expect(more).toEqual([])
    expect(watcher).toBeGreaterThan(0)
    host.child.kill('SIGKILL')
    await host.ended
    expect(await whoIsLeft(programs, marker, orphanMs)).toEqual([])
    const gone = () => !allProcesses().some(({ pid, running }) => pid === watcher && running)
    expect(await waitFor(gone, orphanMs)).toBe(true)
  })

  it('another host, and what it runs, is left alone', async () => {
    marker = makeMarker()
    const other = makeMarker()
    const bystander = startHost('wait', 'read', [`echo started; sleep ${other}`])
    const host = startHost('wait', 'read', [`echo started; sleep ${marker}`])
    await Promise.all([host.ready, bystander.ready])
    host.child.kill('SIGKILL')
    await host.ended
    expect(await whoIsLeft(programs, marker, orphanMs)).toEqual([])
    expect(aliveWith(other).filter((pid) => pid !== bystander.child.pid)).not.toEqual([])
    bystander.child.kill('SIGKILL')
    await bystander.ended
    expect(await survivors(other, orphanMs)).toEqual([])
  })
})
