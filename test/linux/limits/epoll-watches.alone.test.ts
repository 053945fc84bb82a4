import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { whyNot } from '../../helpers/other-users.ts'
import { compileFixture, isInstalled, readable } from '../../helpers/programs.ts'

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
