import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { remedies } from '../../../src/messages/hints.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { filterAround } from '../../helpers/surroundings.ts'
import { compileAttempts, type Ground, makeGround, shorts } from './denied.ts'

let ground: Ground
let attempts: string

beforeAll(async () => {
  ground = await makeGround()
  attempts = compileAttempts()
})

/** A line, and what of it is denied, `.` being the directory. */
const rows: readonly [string, ...string[]][] = [
  ['echo x > file', 'write ./file'],
  ['echo x >> link', 'write ./file'],
  ['echo x > new', 'create ./new'],
  ['cd sub && echo x > ../new', 'create ./new'],
  ['echo x > sub/../sub/./new', 'create ./sub/new'],
  ['echo x > /proc/self/cwd/new', 'create ./new'],
  ['exec 3< file; echo x > /dev/fd/3', 'write ./file'],
  ['rm -f file', 'delete ./file'],
  ['rm -f link', 'delete ./link'],
  ['rmdir sub', 'delete ./sub'],
  ['mkdir new', 'create ./new'],
  ['mkdir new/', 'create ./new'],
  ['mkdir -p sub/a', 'create ./sub/a'],
  ['mkfifo new', 'create ./new'],
  ['mv file other', 'rename ./file'],
  ['ln file hard', 'link ./hard'],
  ['ln -s file soft', 'link ./soft'],
  ['chmod 600 file', 'metadata ./file'],
  ['chmod 600 link', 'metadata ./file'],
  ['chmod 600 missing'],
  ['touch new', 'create ./new'],
  ['touch -c new sub/none missing/new'],
  ['touch file/new'],
  ['ln -s missing dangling; touch -h -c link missing', 'link ./dangling', 'metadata ./link'],
  ['touch -c file', 'metadata ./file'],
  ['touch -h -c link', 'metadata ./link'],
  ['for i in 1 2 3; do echo x > file; done', 'write ./file x3'],
  ['echo x > /dev/urandom', 'device /dev/urandom'],
]

const onClosed = `
import ctypes, errno, os
gone = os.dup(0); os.close(gone)
libc = ctypes.CDLL(None, use_errno=True)
times, address = bytes(32), bytes([2]) + bytes(15)
for name, *arguments in (
    ('fchmod', 0o600), ('fchown', -1, -1), ('futimens', times), ('fsetxattr', b'user.a', b'', 0, 0), ('fremovexattr', b'user.a'),
    ('fchmodat', b'file', 0o600, 0), ('fchownat', b'file', -1, -1, 0), ('utimensat', b'file', times, 0),
    ('ftruncate', 0), ('flock', 2), ('bind', address, 16), ('listen', 1), ('accept', None, None), ('connect', address, 16),
    ('setsockopt', 1, 25, b'lo', 2), ('ioctl', 0x40086602, times), ('fcntl', 8, 0),
):
    failed = getattr(libc, name)(gone, *arguments)
    if failed == 0 or ctypes.get_errno() != errno.EBADF: print(name, failed, os.strerror(ctypes.get_errno()))
`

describe('each refused attempt is named', () => {
  it.each(rows)('%s', async (line, ...denied) => {
    const { cwd } = ground
    expect(shorts(await ground.run(line))).toEqual(denied.map((text) => text.replace(' ./', ` ${cwd}/`)))
  })

  it('with the call, the process and its program', async () => {
    const { denials, stdout } = await ground.run('echo $$; echo x > file; exec mkdir new')
    const pid = Number(stdout)
    expect(denials).toEqual([
      { operation: 'write', path: ground.file, syscall: 'openat', pid, program: 'sh', count: 1 },
      { operation: 'create', path: `${ground.cwd}/new`, syscall: 'mkdir', pid, program: 'mkdir', count: 1 },
    ])
  })

  it('by descriptor, relative to one, and from another directory', async () => {
    const result = await ground.run(`${attempts} descriptors`)
    const { cwd, file } = ground
    const tried = [
      ['fchmod -1 EROFS', `metadata ${file}`],
      ['futimens -1 EROFS', `metadata ${file}`],
      ['flock -1 EBADF', `lock ${file}`],
      ['setflags -1 ENOTTY', `metadata ${file}`],
      ['openat -1 EACCES', `create ${cwd}/made here`],
      ['unlinkat -1 EACCES', `delete ${file}`],
      ['relative -1 EACCES', `write ${file}`],
      ['tmpfile -1 EACCES', `create ${cwd}`],
      ['mode 3 -1 EACCES', `device ${file}`],
    ]
    expect(shorts(result)).toEqual(tried.map(([, denied]) => denied))
    expect(result.stdout).toBe(tried.map(([answer]) => `${answer}\n`).join(''))
  })

  it.runIf(isInstalled('python3')).each(['read', 'workspace'] as const)(
    "no closed descriptor in %s mode: the answer is the kernel's",
    async (mode) => {
      const { cwd } = await makeGround()
      const shell = await openTestShell({ cwd, mode })
      const result = await shell.execute({ argv: ['python3', '-c', onClosed] })
      expect(result).toMatchObject({ stdout: '', stderr: '', denials: [] })
    },
  )

  it.runIf(isInstalled('python3'))(
    'no change of the scheduling of oneself, but those of others',
    async () => {
      const program = `
import os, signal, threading
def try_on(process):
    for call in (
        lambda: os.setpriority(os.PRIO_PROCESS, process, 15),
        lambda: os.sched_setscheduler(process, os.SCHED_BATCH, os.sched_param(0)),
        lambda: os.sched_setaffinity(process, os.sched_getaffinity(0)),
    ):
        try: call()
        except OSError as error: print(error.strerror)
try_on(os.getpid())
thread = threading.Thread(target=lambda: (try_on(threading.get_native_id()), try_on(os.getpid())))
thread.start(); thread.join()
print(os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0) == os.SCHED_BATCH)
try: os.setpriority(os.PRIO_PROCESS, os.getpid(), 0)
except OSError as error: print(error.strerror)
child = os.fork()
if child == 0: signal.pause()
try_on(child); os.kill(child, 9)
try: os.setpriority(os.PRIO_PGRP, 0, 16)
except OSError as error: print(error.strerror)`
      const result = await ground.shell.execute({ argv: ['python3', '-c', program] })
      const refused = 'Operation not permitted'
      expect({ stderr: result.stderr, lines: result.stdout.trim().split('\n') }).toEqual({
        stderr: '',
        lines: ['15 True', 'Permission denied', refused, refused, refused, refused],
      })
      expect(shorts(result)).toEqual(
        Array(3)
          .fill(expect.stringMatching(/^process pid \d+$/))
          .concat('process'),
      )
    },
  )

  it('sockets, IPC, keys, namespaces, mounts, processes, the system', async ({ skip }) => {
    const reason = filterAround()
    if (reason !== null) return skip(reason)
    const result = await ground.run(`${attempts} others`)
    expect(shorts(result)).toEqual([
      'connect /run/vitrine.sock',
      'listen',
      'ipc',
      'key',
      'namespace',
      `mount ${ground.cwd}`,
      expect.stringMatching(/^process pid \d+$/),
      'system',
    ])
  })

  it.runIf(isInstalled('python3')).each([
    ['AF_INET', 's.bind(("127.0.0.1", 0)); ', /^listen 127\.0\.0\.1:[1-9]\d*$/],
    ['AF_INET6', 's.bind(("::1", 0)); ', /^listen \[::1\]:[1-9]\d*$/],
    ['AF_INET', '', /^listen a port that the kernel chooses$/],
  ])('listen(2) by the address of the socket: %s %s', async (family, bind, told) => {
    const script = `import socket; s = socket.socket(socket.${family}); ${bind}; s.listen()`.replace(
      '; ;',
      ';',
    )
    const { run } = await makeGround({ network: true })
    const result = await run(`python3 -c '${script}'`)
    expect(shorts(result)).toEqual([expect.stringMatching(told)])
  })

  it.runIf(isInstalled('python3')).each([
    ['AF_INET, socket.SOCK_RAW, 1', 'socket inet raw'],
    ['AF_INET6, socket.SOCK_DGRAM, 58', 'socket inet6 icmp'],
    ['AF_INET, socket.SOCK_STREAM, 262', 'socket inet mptcp'],
    ['AF_INET, socket.SOCK_STREAM, 132', 'socket inet sctp'],
    ['AF_INET, socket.SOCK_STREAM, 142', 'socket inet of another protocol'],
    ['AF_INET, socket.SOCK_SEQPACKET', 'socket inet of another type'],
  ])('a socket that network = true would not open is told as such: %s', async (which, told) => {
    const result = await ground.run(`python3 -c 'import socket; socket.socket(socket.${which})'`)
    expect(shorts(result)).toEqual([told])
    expect(result.hint).toContain(remedies.user.write)
    expect(result.hint).not.toContain(remedies.user.network)
  })

  it('and nothing has changed', () => {
    expect(readFileSync(ground.file, 'utf8')).toBe('kept')
    expect(statSync(ground.file).mode & 0o777).toBe(0o644)
  })
})

describe('what a result makes of refusals', () => {
  it('a command that failed after one is told that it was refused', async () => {
    const result = await ground.run('echo x > file')
    expect(result.failure).toMatchObject({ kind: 'permission-denied', retryable: false })
    expect(shorts(result)).toEqual([`write ${ground.file}`])
    expect(result.hint).toContain(ground.file)
    expect(result.hint).toContain(remedies.user.workspace)
  })

  it('each program, each operation and each path has a denial, with a count', async () => {
    const { run, cwd } = await makeGround()
    const { denials } = await run('cp link a; tee a < link; cp link a; mkdir a; mkdir b; rmdir .; mkdir a')
    expect(denials.map(({ operation, path, program, count }) => [operation, path, program, count])).toEqual([
      ['create', join(cwd, 'a'), 'cp', 2],
      ['create', join(cwd, 'a'), 'tee', 1],
      ['create', join(cwd, 'a'), 'mkdir', 2],
      ['create', join(cwd, 'b'), 'mkdir', 1],
    ])
  })
})

/** Opens a file through 38 links, each with 1900 names: to ask about each name takes seconds, to follow them milliseconds. */
const program = `
import os
top = os.environ['TMPDIR']
deep = top + '/d' * 1900
os.chdir(top)
open('end', 'w').close()
for _ in range(1900): os.mkdir('d'); os.chdir('d')
for at in range(38): os.symlink(deep + '/l%d' % (at + 1) if at < 37 else top + '/end', 'l%d' % at)
os.chdir(top)
os.symlink(deep + '/l0', 'l')
for _ in range(10): os.write(os.open('l', os.O_WRONLY), b'x')
print('written')
`

describe.runIf(process.platform === 'linux' && isInstalled('python3'))('a path of very many names', () => {
  it('is left to the kernel, and no other command is refused because of it', async () => {
    const shell = await openTestShell({ cwd: makeDirectory(), mode: 'read', privateTmp: true })
    const long = shell.execute({ argv: ['python3', '-c', program], timeoutMs: 100_000 })
    const others = []
    let isOver = false
    const ended = long.finally(() => {
      isOver = true
    })
    while (!isOver)
      others.push(await shell.execute({ command: 'for at in 1 2 3; do echo x > /dev/null; done' }))
    expect(await ended).toMatchObject({ stdout: 'written\n' })
    expect(others.filter(({ exitCode }) => exitCode !== 0)).toEqual([])
  })
})
