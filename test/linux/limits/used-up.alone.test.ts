import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { whyNot } from '../../helpers/other-users.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { compileFixture, isInstalled, readable } from '../../helpers/programs.ts'

/** Starts processes until no more can be had, and writes when Node can start no thread any more. */
const takeAll = `import os, signal
while True:
    try:
        if os.fork() == 0: signal.pause()
    except OSError:
        break
print('all taken', flush=True)`

/** A user that has no other processes: RLIMIT_NPROC (getrlimit(2)) counts all of a user's, and spares root. */
const uid = 200_000 + (process.pid % 50_000)

function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can become another user'
  if (!isInstalled('prlimit') || !isInstalled('python3')) return 'prlimit or python3 is not installed'
  return whyNot({ uid, gid: uid })
}

const reason = missing()

describe.skipIf(reason !== null)(
  `a command that uses up its user's processes${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it('does not end the command line, which writes its output to a file', () => {
      const output = join(makeDirectory(), 'output')
      const descriptor = openSync(output, 'w')
      const words = [process.execPath, join(readable, 'dist/cli.cjs'), 'run', '--', 'python3', '-c', takeAll]
      const { status, signal } = spawnSync('prlimit', ['--nproc=60', ...words], {
        uid,
        gid: uid,
        cwd: '/',
        env: { PATH: process.env['PATH'], HOME: '/dev/null/home' },
        stdio: ['ignore', descriptor, 'ignore'],
      })
      closeSync(descriptor)
      expect({ status, signal, output: readFileSync(output, 'utf8') }).toEqual({
        status: 0,
        signal: null,
        output: 'all taken\n',
      })
    })
  },
)

describe('epoll watches that are used up', () => {
  /** A user that has no other processes: its epoll watches are counted by user. */
  const uid = 300_000 + (process.pid % 50_000)

  function missing(): string | null {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can become another user'
    return isInstalled('cc') ? whyNot({ uid, gid: uid }) : 'cc is not installed'
  }

  const reason = missing()

  describe.skipIf(reason !== null)(
    `the epoll watches of a user, used up${reason ? ` (skipped: ${reason})` : ''}`,
    () => {
      it('other commands run and end as ever, the command is ended by name, and the host goes on', () => {
        const program = compileFixture('epoll_watches')
        chmodSync(dirname(program), 0o755)
        const host = join(readable, 'test/fixtures/host/epoll-watches.mjs')
        const words = ['--nofile=8192', process.execPath, host, join(readable, 'dist/index.js'), program]
        const { status, stdout } = spawnSync('prlimit', words, {
          uid,
          gid: uid,
          cwd: '/',
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], HOME: '/dev/null/home' },
        })
        expect(status).toBe(0)
        expect(JSON.parse(stdout)).toEqual({
          beside: { stdout: 'ran\n', timedOut: false, denials: 1 },
          hog: { limited: 'epoll_watches', kind: 'limited' },
          connects: true,
        })
      }, 180_000)
    },
  )
})
