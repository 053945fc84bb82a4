import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { whyNot } from '../../helpers/other-users.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { builtLibrary, compileFixture, isInstalled, readable } from '../../helpers/programs.ts'

/** Starts processes until no more can be had, and writes when Node can start no thread any more. */
const takeAll = `import os, signal
while True:
    try:
        if os.fork() == 0: signal.pause()
    except OSError:
        break
print('all taken', flush=True)`

/** A user that has no other processes: those are counted by user, and so are epoll watches. RLIMIT_NPROC spares root (getrlimit(2)). */
const uid = 200_000 + (process.pid % 50_000)

function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can become another user'
  const tool = ['prlimit', 'python3', 'cc'].find((name) => !isInstalled(name))
  return tool ? `${tool} is not installed` : whyNot({ uid, gid: uid })
}

const reason = missing()

/** Runs Node as that user, under a limit of prlimit(1). */
function runLimited(limit: string, words: readonly string[], output: number | 'pipe') {
  return spawnSync('prlimit', [limit, process.execPath, ...words], {
    uid,
    gid: uid,
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/dev/null/home' },
    stdio: ['ignore', output, 'ignore'],
  })
}

describe.skipIf(reason !== null)(
  `a command that uses up what its user has${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it('of processes does not end the command line, which writes its output to a file', () => {
      const file = join(makeDirectory(), 'output')
      const descriptor = openSync(file, 'w')
      const words = [join(readable, 'dist/cli.cjs'), 'run', '--', 'python3', '-c', takeAll]
      const { status, signal } = runLimited('--nproc=60', words, descriptor)
      closeSync(descriptor)
      const output = readFileSync(file, 'utf8')
      expect({ status, signal, output }).toEqual({ status: 0, signal: null, output: 'all taken\n' })
    })

    it('of epoll watches is ended by name; other commands run as ever, and the host goes on', () => {
      const program = compileFixture('epoll_watches')
      chmodSync(dirname(program), 0o755)
      const host = join(readable, 'test/fixtures/host/epoll-watches.mjs')
      const { status, stdout } = runLimited('--nofile=8192', [host, builtLibrary, program], 'pipe')
      expect(status).toBe(0)
      expect(JSON.parse(stdout)).toEqual({
        beside: { stdout: 'ran\n', timedOut: false, denials: 1 },
        hog: { limited: 'epoll_watches', kind: 'limited' },
        connects: true,
      })
    })
  },
)
