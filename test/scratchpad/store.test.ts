import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findAnywhere, listSessions } from '../../src/scratchpad/list.ts'
import { checkScratchpadName } from '../../src/scratchpad/session.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { makeState } from './place.ts'

describe('names', () => {
  it.each(['log', 'a', 'A.b_c-9', 'x'.repeat(64)])('%s is one', (name) => {
    expect(() => checkScratchpadName(name)).not.toThrow()
  })

  it.each([
    ...['', '.', '..', '.hidden', '../up', 'a/b', '/etc/passwd', 'a\\b', 'a\0b', 'a b', '-x', 'ü'],
    'x'.repeat(65),
  ])('%j is none', (name) => {
    expect(() => checkScratchpadName(name)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })
})

describe('a session', () => {
  it('no other user can read it, whatever the umask and the directory above', () => {
    const place = makeState()
    chmodSync(place.state, 0o777)
    const old = process.umask(0)
    try {
      const scratchpad = place.scratchpad()
      const { path, name } = scratchpad.save('log', Buffer.from('x'))
      scratchpad.describe(name, metadata)
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(join(dirname(path), '.log.json')).mode & 0o777).toBe(0o600)
      for (let directory = dirname(path); directory !== place.state; directory = dirname(directory))
        expect(statSync(directory).mode & 0o777).toBe(0o700)
    } finally {
      process.umask(old)
    }
  })

  it('a name that is taken gets the next free suffix, and what was there stays', () => {
    const scratchpad = makeState().scratchpad()
    const names = ['a', 'b', 'c'].map((text) => scratchpad.save('log', Buffer.from(text)).name)
    expect(names).toEqual(['log', 'log-2', 'log-3'])
    expect(scratchpad.entries().map(({ path }) => readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'c'])
  })

  it('a symlink in the way is not written through', () => {
    const place = makeState()
    const scratchpad = place.scratchpad()
    const target = join(makeDirectory(), 'target')
    writeFileSync(target, 'mine')
    mkdirSync(scratchpad.directory, { recursive: true })
    symlinkSync(target, join(scratchpad.directory, 'log'))
    expect(scratchpad.save('log', Buffer.from('x')).name).toBe('log-2')
    expect(readFileSync(target, 'utf8')).toBe('mine')
    expect(scratchpad.entries().map(({ name }) => name)).toEqual(['log-2'])
    expect(scratchpad.find('log')).toBeUndefined()
  })
})

const metadata = {
  ...{ command: 'x', cwd: '/', mode: 'read' as const, bytes: 1, binary: false },
  ...{ outcome: 'exited', exitCode: 0, signal: null },
  ...{ started: '2026-01-01T00:00:00.000Z', durationMs: 1 },
}

describe('what a shell saves', () => {
  it('has its command, directory, exit, times and sizes beside it', async () => {
    const shell = await openTestShell()
    await shell.execute({ command: 'echo out; exit 3', scratchpad: 'line' })
    await shell.execute({ argv: ['echo', 'a b'], scratchpad: 'argv', cwd: '/' })
    const [line, argv] = shell.scratchpad.entries()
    const metadata = {
      ...{ command: 'echo out; exit 3', cwd: shell.cwd, mode: 'read', bytes: 4, binary: false },
      ...{ outcome: 'exited', exitCode: 3, signal: null },
    }
    expect(line).toMatchObject({ name: 'line', bytes: 4, metadata })
    expect(Date.parse(line?.metadata?.started ?? '')).toBeLessThanOrEqual(Date.now())
    expect(argv).toMatchObject({ name: 'argv', metadata: { command: ['echo', 'a b'], cwd: '/' } })
  })
})

describe('the list of sessions', () => {
  it('the session of a running process is in use, that of an ended one is not', () => {
    const place = makeState()
    place.scratchpad().save('log', Buffer.from('x'))
    const [session] = listSessions([place.root])
    expect(session?.inUse).toBe(true)
    const ended = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }))
    const renamed = (session?.session ?? '').replace(`-${process.pid}-`, `-${ended}-`)
    execFileSync('mv', [session?.directory ?? '', join(place.root, renamed)])
    expect(listSessions([place.root])[0]?.inUse).toBe(false)
  })

  it('the newest entry of a name is found, and that of a given session', () => {
    const place = makeState()
    const older = place.leave('one', 3, 2000)
    const newer = place.leave('two', 4, 1000)
    expect(findAnywhere([place.root], 'log')?.path).toBe(join(newer, 'log'))
    expect(findAnywhere([place.root], 'one/log')?.path).toBe(join(older, 'log'))
    for (const name of ['none', 'one/none', '../x/log', 'one/../two/log', '/etc/passwd'])
      expect(findAnywhere([place.root], name)).toBeUndefined()
  })
})
