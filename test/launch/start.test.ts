import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { pump } from '../../src/launch/launch.ts'
import type { VitrineError } from '../../src/messages/error.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { builtLibrary } from '../helpers/programs.ts'
import { cannotUnshare } from '../helpers/surroundings.ts'

/** Files called `tool` in three directories of PATH: one that can be executed, one that cannot, none. */
type Kind = 'program' | 'file' | 'none'

async function ranWith(mode: 'read' | 'write', ...kinds: readonly Kind[]) {
  const directory = makeDirectory()
  const path = kinds.map((kind, at) => {
    const place = join(directory, String(at))
    mkdirSync(place)
    if (kind !== 'none')
      writeFileSync(join(place, 'tool'), `#!/bin/sh\necho ${at}\n`, {
        mode: kind === 'program' ? 0o755 : 0o644,
      })
    return place
  })
  const shell = await openTestShell({ mode, env: { PATH: [...path, process.env['PATH']].join(':') } })
  return shell.execute({ argv: ['tool'] }).then(
    ({ stdout }) => stdout,
    ({ code, refusal }: VitrineError) => [code, refusal.code === 'SPAWN_FAILED' && refusal.errno],
  )
}

it.each(['read', 'write'] as const)(
  'a program is searched in PATH as by execvp(3), in %s mode',
  async (mode) => {
    expect(await ranWith(mode, 'none', 'file', 'program')).toBe('2\n')
    expect(await ranWith(mode, 'file', 'none', 'none')).toEqual(['SPAWN_FAILED', 'EACCES'])
    expect(await ranWith(mode, 'none', 'none', 'file')).toEqual(['SPAWN_FAILED', 'EACCES'])
    expect(await ranWith(mode, 'none', 'none', 'none')).toEqual(['SPAWN_FAILED', 'ENOENT'])
  },
)

function openInput(): number {
  const file = join(makeDirectory(), 'input')
  writeFileSync(file, 'what a command reads\n')
  return openSync(file, 'r')
}

/** A descriptor is closed in a thread of the pool, as these are looked at. */
async function afterThePool(): Promise<void> {
  for (let look = 0; look < 20; look++) await stat('/')
}

it('a descriptor that has been read to its end stays open: it is its owner’s', async () => {
  const fd = openInput()
  const to = new PassThrough()
  pump(fd, to)
  expect(String(await to.toArray())).toBe('what a command reads\n')
  await afterThePool()
  expect(() => closeSync(fd)).not.toThrow()
})

const status = `python3 -c 'import fcntl; print(fcntl.fcntl(0, fcntl.F_GETFL))'`
const change = `python3 -c 'import fcntl, os; fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)'`

describe.runIf(process.platform === 'linux').for(['read', 'write'] as const)(
  'the empty standard input, in %s mode',
  (mode) => {
    it('has no flags of an earlier command', async () => {
      const shell = await openTestShell({ mode })
      const before = await shell.execute({ command: status })
      expect(await shell.execute({ command: change })).toMatchObject({ exitCode: 0 })
      expect((await shell.execute({ command: status })).stdout).toBe(before.stdout)
    })

    it('keeps no lock when the command has ended', async () => {
      const shell = await openTestShell({ mode })
      expect(await shell.execute({ command: 'flock -s 0' })).toMatchObject({ exitCode: 0 })
      expect(spawnSync('flock', ['-xn', '/dev/null', 'true']).status).toBe(0)
    })
  },
)

/** A file stands for the new /dev/null. */
const replacing = `
  import { spawnSync } from 'node:child_process'
  const { openShell } = await import('${builtLibrary}')
  const shell = await openShell({ cwd: '/', mode: 'read' })
  await shell.execute({ command: 'true' })
  spawnSync('mount', ['--bind', process.execPath, '/dev/null'])
  const { exitCode } = await shell.execute({ command: 'test -s /dev/stdin' })
  console.log(exitCode)
  await shell.close()`

describe.runIf(process.platform === 'linux')('a /dev/null that is replaced between two commands', () => {
  const namespaces = ['--user', '--map-root-user', '--mount']
  const reason = cannotUnshare(...namespaces)

  it.skipIf(reason)('becomes the next standard input', () => {
    const argv = [...namespaces, process.execPath, '--input-type=module', '-e', replacing]
    expect(execFileSync('unshare', argv, { encoding: 'utf8' }).trim()).toBe('0')
  })
})
