import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { tighten } from '../../src/config/tighten.ts'
import { trust } from '../../src/config/trust.ts'
import { VitrineError } from '../../src/messages/error.ts'
import { setBy } from '../../src/messages/project.ts'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'
import { makePlace } from './place.ts'

const of = (inForce: unknown, offered: unknown) => tighten({ kind: 'hosts' }, inForce, offered)

describe('a list of hosts of an untrusted project', () => {
  it('loses each entry that the user does not allow, wherever it stands', () => {
    const added = ['b.example', 'a.example:22', '*.a.example']
    const offered = ['a.example', ...added, 'x.wild.example', 'wild.example']
    expect(of(['a.example', '*.wild.example'], offered)).toEqual({
      value: ['a.example', 'x.wild.example'],
      ignored: [1, 2, 3, 5].map((index) => ({ index, why: 'loosens' })),
    })
  })

  const one = ['a.example']
  it.each([
    [true, one, one, []],
    [false, one, false, [{ why: 'loosens' }]],
    [false, [], false, []],
    [one, true, one, [{ why: 'loosens' }]],
    [one, false, false, []],
  ])('where the user has %j, %j becomes %j', (inForce, offered, value, ignored) => {
    expect(of(inForce, offered)).toEqual({ value, ignored })
  })
})

it.each(['__proto__', 'constructor', 'toString'])('a table named %s reaches no prototype', async (name) => {
  const place = makePlace()
  place.write(place.projectFile, `[env.set.${name}]\nmode = "write"\n`)
  await expect(place.load()).rejects.toThrow(VitrineError)
  expect(Reflect.get({}, 'mode')).toBeUndefined()
})

it.each([
  ['is no TOML', 'machine example.com login me password hunter2'],
  ['has an unknown key', 'password = "hunter2"'],
])('a project file that links to a secret which %s quotes nothing of it', async (_, text) => {
  const place = makePlace()
  const secret = place.write(join(place.home, 'secret'), `${text}\n`)
  symlinkSync(secret, place.projectFile)
  const refusal = await place.refusal()
  expect(refusal.line).toBeGreaterThan(0)
  expect(JSON.stringify(refusal)).not.toContain('hunter2')
  place.write(place.userFile, `${text}\n`)
  expect(JSON.stringify(await place.refusal())).toContain('hunter2')
})

describe('a project file', () => {
  let project = ''
  let file = ''

  beforeEach(() => {
    project = makeDirectory()
    file = join(project, '.vitrine.toml')
    mkdirSync(join(project, '.git'))
  })

  function open(toml: string, options: TestShellOptions = {}): Promise<Shell> {
    writeFileSync(file, toml)
    return openTestShell({ cwd: project, ...options })
  }

  it.each([
    ['sandbox = false', 'shell.sandbox', 'needs-trust', 'touch x'],
    ['private_tmp = true', 'shell.private_tmp', 'loosens', 'touch "$TMPDIR/x"'],
  ])('that is not trusted lets commands of read mode write nowhere: %s', async (line, key, why, command) => {
    const shell = await open(`[shell]\n${line}\n`)
    expect((await shell.execute({ command: 'echo a' })).output).toBe('a\n')
    expect((await shell.execute({ command })).exitCode).not.toBe(0)
    expect(shell.ignored).toMatchObject([{ key, file, line: 2, why }])
  })

  describe('a message that follows from a project file names it', () => {
    it('where it is trusted and switches the sandbox off', async () => {
      writeFileSync(file, '[shell]\nsandbox = false\n')
      const state = makeDirectory()
      trust(file, { XDG_STATE_HOME: state })
      const shell = await openTestShell({ cwd: project, env: { XDG_STATE_HOME: state } })
      const refusal = { code: 'WRITE_MODE_REQUIRED', message: expect.stringContaining(file) }
      await expect(shell.execute({ command: 'echo a' })).rejects.toMatchObject(refusal)
    })

    it('where it makes write mode into read mode', async () => {
      const shell = await open('[shell]\nmode = "read"\n', { toml: '[shell]\nmode = "write"\n' })
      expect((await shell.execute({ command: 'touch x' })).hint).toContain(setBy('shell.mode', file))
    })

    it('and only then', async () => {
      const shell = await open('[shell]\ntimeout_ms = 20000\n')
      for (const command of ['true', 'false', 'touch x'])
        expect((await shell.execute({ command })).hint ?? '').not.toContain(file)
    })
  })
})
