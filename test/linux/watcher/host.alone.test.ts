import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeMemoryGroup } from '../../helpers/cgroup.ts'
import { aliveWith, allProcesses, endAll, makeMarker, survivors, waitFor } from '../../helpers/processes.ts'
import { clearUp, compilePrograms, escapes, leftOf, type Programs } from '../supervise/escapes.ts'
import { commandsOf, startHost, watchersOf } from './hosts.ts'

let programs: Programs
let marker: string

beforeAll(() => {
  programs = compilePrograms()
})

afterEach(async () => clearUp(programs, marker))

describe('when the host dies', () => {
  it.for(escapes)('by SIGKILL, nothing of read mode is left: $name', async ({ stays }) => {
    marker = makeMarker()
    const host = startHost('wait', 'read', [stays(programs, marker)])
    await host.ready
    expect(commandsOf(host, marker)).not.toEqual([])
    host.child.kill('SIGKILL')
    await host.ended
    expect(await leftOf(programs, marker)).toEqual([])
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
      expect(commandsOf(host, marker).length).toBeGreaterThanOrEqual(36)
      host.child.kill(signal)
      await host.ended
      expect(await leftOf(programs, marker)).toEqual([])
    },
  )

  it('in write mode the session of a running command is gone', async () => {
    marker = makeMarker()
    const line = `trap '' TERM HUP; sleep ${marker} & echo started; sleep ${marker}`
    const host = startHost('wait', 'write', [line])
    await host.ready
    expect(commandsOf(host, marker).length).toBeGreaterThanOrEqual(2)
    host.child.kill('SIGKILL')
    await host.ended
    expect(await leftOf(programs, marker)).toEqual([])
  })

  it('for want of memory, nothing is left', async ({ skip }) => {
    const group = makeMemoryGroup(400 * 1024 * 1024)
    if (typeof group === 'string') return skip(group)
    onTestFinished(async () => void (await waitFor(group.remove)))
    marker = makeMarker()
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

  it('the watcher ends too', async () => {
    marker = makeMarker()
    const host = startHost('wait', 'read', [`echo started; sleep ${marker}`])
    await host.ready
    const [watcher = 0, ...more] = watchersOf(host.child.pid)
    expect(more).toEqual([])
    expect(watcher).toBeGreaterThan(0)
    host.child.kill('SIGKILL')
    await host.ended
    expect(await leftOf(programs, marker)).toEqual([])
    const gone = () => !allProcesses().some(({ pid, running }) => pid === watcher && running)
    expect(await waitFor(gone)).toBe(true)
  })

  describe('in write mode', () => {
    const inForeground = escapes.filter(({ name }) => !/fork bomb|comet/.test(name))

    it.for(inForeground)('what a running command started is gone: $name', async ({ stays }) => {
      marker = makeMarker()
      const host = startHost('wait', 'write', [stays(programs, marker)])
      await host.ready
      expect(commandsOf(host, marker)).not.toEqual([])
      host.child.kill('SIGKILL')
      await host.ended
      expect(await leftOf(programs, marker)).toEqual([])
    })

    it('what a finished command left in the background lives on', async () => {
      marker = makeMarker()
      const kept = makeMarker()
      const background = `${programs.daemon} 2 exit ${kept}; sleep ${kept} & echo started`
      const host = startHost('wait', 'write', [background, `${programs.daemon} 2 stay ${marker}`])
      await Promise.all([host.ready, host.finished])
      expect(commandsOf(host, kept)).toHaveLength(3)
      host.child.kill('SIGKILL')
      await host.ended
      expect(await leftOf(programs, marker)).toEqual([])
      const left = commandsOf(host, kept)
      await endAll(kept)
      expect(left).toHaveLength(3)
    })
  })

  it('another host, and what it runs, is left alone', async () => {
    marker = makeMarker()
    const other = makeMarker()
    const bystander = startHost('wait', 'read', [`echo started; sleep ${other}`])
    const host = startHost('wait', 'read', [`echo started; sleep ${marker}`])
    await Promise.all([host.ready, bystander.ready])
    host.child.kill('SIGKILL')
    await host.ended
    expect(await leftOf(programs, marker)).toEqual([])
    expect(aliveWith(other).filter((pid) => pid !== bystander.child.pid)).not.toEqual([])
    bystander.child.kill('SIGKILL')
    await bystander.ended
    expect(await survivors(other)).toEqual([])
  })
})
