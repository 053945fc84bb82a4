import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../../src/base/types.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { probing } from '../../sandbox/hosts.ts'
import { type Ground, makeGround } from './ground.ts'

const hasPython = isInstalled('python3')

let ground: Ground

beforeAll(async () => {
  ground = await makeGround()
})

const python = (text: string, directory = '"$TMPDIR"') =>
  ground.run(`cd ${directory} && python3 -c '${text.trim()}'`)

function expectGranted({ exitCode, stderr, denials }: Result): void {
  expect({ exitCode, stderr, denials }).toEqual({ exitCode: 0, stderr: '', denials: [] })
}

describe.runIf(hasPython)('metadata in a private directory', () => {
  const prelude = `
import os, stat
open("f", "w").close(); os.mkdir("d"); os.symlink("f", "l"); fd = os.open("f", os.O_RDONLY)
mode = lambda p, **k: stat.S_IMODE(os.stat(p, **k).st_mode)
`
  const granted: Readonly<Record<string, string>> = {
    'modes by path': 'os.chmod("f", 0o640); assert mode("f") == 0o640',
    'modes by descriptor': 'os.fchmod(fd, 0o604); assert mode("f") == 0o604',
    'modes beneath a directory':
      'dir = os.open(".", os.O_RDONLY); os.chmod("f", 0o601, dir_fd=dir); assert mode("f") == 0o601',
    'modes through a link': 'os.chmod("l", 0o611); assert mode("f") == 0o611',
    'modes of directories': 'os.chmod("d", 0o711); os.chmod(".", 0o701); assert mode(".") == 0o701',
    'the sticky bit': 'os.chmod("d", 0o1777); assert mode("d") == 0o1777',
    'modes of what has no name any more':
      'os.unlink("f"); os.fchmod(fd, 0o604); assert stat.S_IMODE(os.fstat(fd).st_mode) == 0o604',
    'its own user and group':
      'os.chown("f", os.getuid(), os.getgid()); os.fchown(fd, -1, -1); os.lchown("l", os.getuid(), -1)',
    times: 'os.utime("f", (1000, 2000)); assert os.stat("f").st_mtime == 2000',
    'the time of now': 'os.utime("f"); assert os.stat("f").st_mtime > 2000',
    'times by descriptor, to the nanosecond':
      'os.utime(fd, ns=(1, 2_000_000_003)); assert os.stat("f").st_mtime_ns == 2_000_000_003',
    'times of a link itself':
      'os.utime("l", (5, 6), follow_symlinks=False); assert os.lstat("l").st_mtime == 6 != os.stat("f").st_mtime',
    'attributes of users':
      'os.setxattr("f", "user.a", b"1" * 1000); os.setxattr(fd, "user.b", b""); os.removexattr("f", "user.b"); assert os.listxattr("f") == ["user.a"]',
    'exclusive locks':
      'import fcntl; fcntl.flock(fd, fcntl.LOCK_EX); other = open("f")\ntry: fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB); assert False\nexcept BlockingIOError: pass',
    'what an open file is moved to':
      'os.rename("f", "d/g"); os.fchmod(fd, 0o640); assert mode("d/g") == 0o640',
  }

  it.for(Object.entries(granted))('changes, and nothing is reported: %s', async ([what, text], { skip }) => {
    const unable = what === 'exclusive locks' ? cannotBorrow() : null
    if (unable !== null) return skip(unable)
    return expectGranted(await python(`${prelude}${text}`))
  })

  const refused: Readonly<Record<string, string>> = {
    'set-user-ID': 'os.chmod("f", 0o4755)',
    'set-group-ID': 'os.fchmod(fd, 0o2755)',
    'another user': 'os.chown("f", 65533, -1)',
    "another user's group": 'os.chown("f", -1, 65533)',
    'attributes of the system': 'os.setxattr("f", "trusted.a", b"1")',
    'the directory above': 'os.chmod("..", 0o711)',
  }

  it.for(Object.entries(refused))('stays, and is reported: %s', async ([, text]) => {
    const { exitCode, stderr, denials } = await python(
      `${prelude}before = os.stat("f")\ntry: ${text}\nexcept OSError: raise\nfinally: assert os.stat("f") == before`,
    )
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('[Errno 30]') })
    expect(stderr).not.toContain('AssertionError')
    expect(denials).toMatchObject([{ operation: 'metadata', count: 1 }])
  })

  it('outside it stays as it was, by every way in', async () => {
    const outside = makeDirectory()
    const file = join(outside, 'file')
    writeFileSync(file, 'kept')
    const before = lstatSync(file, { bigint: true })
    const { denials } = await python(`
import os
os.symlink("${outside}", "way"); os.symlink("${file}", "l"); fd = os.open("${file}", os.O_RDONLY)
tries = [lambda p=p, f=f: f(p) for p in ("l", "way/file", "${file}", "/proc/self/fd/%d" % fd, "/proc/self/root${file}", fd)
  for f in (lambda p: os.chmod(p, 0o600), lambda p: os.utime(p, (1, 1)), lambda p: os.chown(p, os.getuid(), os.getgid()), lambda p: os.setxattr(p, "user.a", b"1"))]
for t in tries:
    try: t()
    except OSError: pass
    else: assert False`)
    expect(lstatSync(file, { bigint: true })).toEqual(before)
    expect(denials.reduce((sum, { count }) => sum + count, 0)).toBe(24)
    expect(new Set(denials.map(({ path }) => path))).toEqual(new Set([file]))
  })

  it('where there is no listener it stays refused, and enforcement says so', async () => {
    const { run, shell } = await makeGround({ host: probing({ listener: false }) })
    const { exitCode } = await run('cd "$TMPDIR" && echo x > f && cat f && chmod 600 f')
    expect(exitCode).toBe(1)
    expect(shell.enforcement['private tmp']).toEqual({
      enforced: true,
      by: 'landlock',
      note: 'still refused in it: modes, times, attributes and exclusive flock(2)',
    })
  })
})
