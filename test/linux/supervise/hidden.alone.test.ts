import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildPrograms } from '../../attacks/build.ts'
import { users } from '../../attacks/table.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { aliveWith, makeMarker, waitFor } from '../../helpers/processes.ts'
import { readable } from '../../helpers/programs.ts'
import { runAs } from '../../helpers/run-as.ts'

const nobody = { name: '', uid: -1, gid: -1 }
const [root = nobody, user = nobody] = users

/** What stands before a host's command line, so that /proc hides from it whom it cannot read (proc(5), hidepid). */
const hiding = (uid: number, gid: number) => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid=${uid} --regid=${gid} --clear-groups "$@"`,
  'sh',
]

function missing(): string | null {
  if (process.platform !== 'linux' || users.length < 2)
    return 'only root can mount /proc for an ordinary user'
  const [program = '', ...words] = [...hiding(user.uid, user.gid), 'true']
  return spawnSync(program, words).status === 0 ? null : 'this root cannot mount /proc'
}

const survivors = [
  'background',
  'double fork',
  'ignores every signal',
  'unreadable',
  'stopped',
  'comet',
] as const

describe.skipIf(missing() !== null)('where /proc hides processes from an ordinary user', () => {
  let escapes: string
  let marker: string

  beforeAll(() => {
    escapes = buildPrograms().escape
  })

  afterEach(() => {
    for (const pid of aliveWith(marker)) process.kill(pid, 'SIGKILL')
  })

  it.for(survivors)('nothing outlives its command: %s', async (attempt) => {
    marker = makeMarker()
    const [result] = await runAs(root, {
      options: { mode: 'read', cwd: '/' },
      commands: [[escapes, attempt, marker]],
      wrapper: hiding(user.uid, user.gid),
    })
    expect(result?.stdout).toBe('ok\n')
    expect(result?.survivorsKilled).toBeGreaterThan(0)
    expect(aliveWith(marker)).toEqual([])
  })

  it.for(['background', 'unreadable'] as const)('nothing outlives its host: %s', async (attempt) => {
    marker = makeMarker()
    const directory = makeDirectory()
    chmodSync(directory, 0o755)
    const line = `${escapes} '${attempt}' ${marker}; echo started; exec sleep ${marker}`
    const script = join(readable, 'test/fixtures/host/host.mjs')
    const [program = '', ...words] = hiding(user.uid, user.gid)
    const host = spawn(program, [...words, process.execPath, script, directory, 'wait', 'read', line], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], HOME: '/dev/null/home' },
    })
    await once(host.stdout, 'data')
    const others = () => aliveWith(marker).filter((pid) => pid !== host.pid)
    expect(others().length).toBeGreaterThan(1)
    host.kill('SIGKILL')
    await waitFor(() => others().length === 0)
    expect(others()).toEqual([])
  })
})
