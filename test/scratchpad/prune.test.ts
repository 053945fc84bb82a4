import { existsSync, readdirSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clearSessions, type ScratchpadSession, sessionsToRemove } from '../../src/scratchpad/list.ts'
import { openTestShell } from '../helpers/place.ts'
import { dayMs, makeState } from './place.ts'

const now = 1_000 * dayMs

function session(name: string, ageDays: number, bytes: number, inUse = false): ScratchpadSession {
  const changedMs = now - ageDays * dayMs
  return { session: name, directory: `/s/${name}`, entries: [], bytes, changedMs, inUse }
}

function removed(sessions: readonly ScratchpadSession[], maxAgeDays: number, maxBytes: number): string[] {
  return sessionsToRemove(sessions, { maxAgeDays, maxBytes }, now).map(({ session }) => session)
}

describe('which sessions go', () => {
  const sessions = [session('a', 9, 10), session('b', 5, 20), session('c', 3, 30), session('d', 1, 40)]

  it('those past their age; 0 is no limit', () => {
    expect(removed(sessions, 4, 0)).toEqual(['a', 'b'])
    expect(removed(sessions, 9, 0)).toEqual([])
    expect(removed(sessions, 0, 0)).toEqual([])
  })

  it('the oldest, until the rest fits', () => {
    expect(removed(sessions, 0, 100)).toEqual([])
    expect(removed(sessions, 0, 99)).toEqual(['a'])
    expect(removed(sessions, 0, 70)).toEqual(['a', 'b'])
    expect(removed(sessions, 0, 1)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('one in use stays, and the next oldest goes', () => {
    const busy = [session('a', 9, 10, true), session('b', 5, 20), session('c', 3, 30)]
    expect(removed(busy, 4, 0)).toEqual(['b'])
    expect(removed(busy, 0, 40)).toEqual(['b'])
    expect(removed(busy, 0, 1)).toEqual(['b', 'c'])
  })
})

describe('on disk', () => {
  it('the first thing that a session saves makes room', () => {
    const place = makeState()
    const old = place.leave('old', 10, 8 * dayMs)
    const recent = place.leave('recent', 10, 6 * dayMs)
    const scratchpad = place.scratchpad({ maxAgeDays: 7, maxBytes: 0 })
    expect(existsSync(old)).toBe(true)
    scratchpad.save('log', Buffer.from('x'))
    expect(existsSync(old)).toBe(false)
    expect(existsSync(recent)).toBe(true)
    expect(scratchpad.entries()).toHaveLength(1)
  })

  it('a session that lasts drops what stopped commands left, the oldest first, and nothing else', async () => {
    const place = makeState()
    const toml = '[output]\nmax_bytes = 20000\n'
    const scratchpad = place.scratchpad({ maxAgeDays: 7, maxBytes: 50_000 })
    const shell = await openTestShell({ toml, env: place.environment, scratchpad })
    const save = (command: string, timeoutMs = 10_000) =>
      shell
        .execute({ command, timeoutMs, scratchpad: 'log' })
        .then(({ scratchpad }) => scratchpad?.path ?? '')
    const whole = await save('head -c 15000 /dev/zero')
    const tooLong = await save('head -c 30000 /dev/zero; sleep 60')
    const tooLate = await save('head -c 15000 /dev/zero; exec sleep 60', 500)
    const killed = await save('head -c 15000 /dev/zero; kill -9 $$')
    const there = () => [whole, tooLong, tooLate, killed].map((path) => existsSync(path))
    await save('echo x')
    expect(there()).toEqual([true, false, true, true])
    await save('head -c 15000 /dev/zero; kill -9 $$')
    await save('echo x')
    expect(there()).toEqual([true, false, false, true])
    expect(readdirSync(dirname(whole)).filter((name) => name.startsWith('.log-2'))).toEqual([])
  })

  it('what a stopped command left goes past its age, while its session lasts', async () => {
    const place = makeState()
    const shell = await openTestShell({ env: place.environment })
    const save = async (command: string) => {
      const { scratchpad } = await shell.execute({ command, scratchpad: 'log' })
      return scratchpad?.path ?? ''
    }
    const [ended, stopped, recent] = [
      await save('echo x'),
      await save('echo y; kill $$'),
      await save('echo z; kill $$'),
    ]
    const then = new Date(Date.now() - 8 * dayMs)
    for (const path of [ended, stopped]) utimesSync(path, then, then)
    await save('echo x')
    expect([ended, stopped, recent].map((path) => existsSync(path))).toEqual([true, false, true])
  })

  it('a session that another process uses is not removed for its size', () => {
    const place = makeState()
    const other = place.scratchpad()
    const { path } = other.save('log', Buffer.alloc(1000))
    place.scratchpad({ maxAgeDays: 0, maxBytes: 1 }).save('log', Buffer.from('x'))
    expect(existsSync(path)).toBe(true)
  })

  it('clear removes unused sessions, and says what stays', () => {
    const place = makeState()
    const left = place.leave('left', 10, 0)
    const { path } = place.scratchpad().save('log', Buffer.from('x'))
    const { removed, kept } = clearSessions([place.root])
    expect(removed.map(({ session }) => session)).toEqual(['left'])
    expect(kept).toHaveLength(1)
    expect([existsSync(left), existsSync(path)]).toEqual([false, true])
  })
})
