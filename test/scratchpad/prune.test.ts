import { existsSync, readdirSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clearSessions, toRemove } from '../../src/scratchpad/list.ts'
import { openTestShell } from '../helpers/place.ts'
import { dayMs, makeState } from './place.ts'

describe('which sessions go', () => {
  const now = 1_000 * dayMs
  const sessions = [
    ['a', 9, 10],
    ['b', 5, 20],
    ['c', 3, 30],
    ['d', 1, 40],
  ] as const

  it.each([
    ['those past their age', 4, 0, 'ab'],
    ['none of that age; 0 is no limit', 9, 0, ''],
    ['none without limits', 0, 0, ''],
    ['none where all fit', 0, 100, ''],
    ['the oldest, until the rest fits', 0, 99, 'a'],
    ['the oldest, until the rest fits', 0, 70, 'ab'],
    ['all that it takes', 0, 1, 'abcd'],
    ['those past their age, then the oldest', 6, 70, 'ab'],
  ])('%s: %d days, %d bytes', (_what, maxAgeDays, maxBytes, names) => {
    const each = sessions.map(([name, age, bytes]) => ({ name, bytes, changedMs: now - age * dayMs }))
    const gone = toRemove(each, 100, { maxAgeDays, maxBytes }, now)
    expect(gone.map(({ name }) => name).join('')).toBe(names)
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
