import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tried } from '../../../src/base/errno.ts'
import type { Result } from '../../../src/index.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'
import { isInstalled, repository } from '../../helpers/programs.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { toldBy, writeTeller } from '../notify/tellers.ts'

/** The root holds `.git/config`, so Landlock cannot grant it as a whole; `deep` it can. */
const directories = ['.', 'deep']

function makeRepository(): string {
  const workspace = join(makeDirectory(), 'tree')
  mkdirSync(join(workspace, 'deep'), { recursive: true })
  execFileSync('git', ['init', '-q', workspace])
  return workspace
}

async function run(cwd: string, command: string): Promise<Result> {
  const shell = await openTestShell({ cwd, mode: 'workspace' })
  return shell.execute({ command, timeoutMs: 30_000 })
}

/** Runs a Python program that prints one line for each step. */
const python = (program: string): string => `python3 -c '${program}'`

describe.each(directories)('a FIFO made by the command in %s', (directory) => {
  it('joins two processes, in whichever order they open it', async () => {
    const cwd = makeRepository()
    const command = `cd ${directory}; mkfifo pipe
      (echo early > pipe) & sleep 0.3; cat pipe; wait
      cat pipe & sleep 0.3; echo late > pipe; wait`
    expect(await run(cwd, command)).toMatchObject({ exitCode: 0, stdout: 'early\nlate\n', stderr: '' })
  })

  it('does not hold up the end of a command whose open waits', async () => {
    const cwd = makeRepository()
    const command = `cd ${directory}; mkfifo pipe; (echo never > pipe) & sleep 0.2; kill -9 $!; wait $!; echo $?`
    expect(await run(cwd, command)).toMatchObject({ exitCode: 0, stdout: '137\n' })
  })

  it.skipIf(!isInstalled('python3'))(
    'ends the wait on a signal with a handler, and says so without waiting',
    async () => {
      const cwd = makeRepository()
      const program = `
import errno, os, signal
os.mkfifo("pipe")
class Rang(Exception): pass
def ring(*_): raise Rang()
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try: os.open("pipe", os.O_WRONLY)
except Rang: print("rang")
try: os.open("pipe", os.O_WRONLY | os.O_NONBLOCK)
except OSError as error: print(errno.errorcode[error.errno])`
      const { stdout } = await run(cwd, `cd ${directory}; ${python(program)}`)
      expect(stdout).toBe('rang\nENXIO\n')
    },
  )
})

/** Links a file that has no name, in both ways that programs use. */
const linking = (directory: string, targets: readonly string[]) => `
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
for target in ${JSON.stringify(targets)}:
    for way in ("empty", "proc"):
        fd = os.open("${directory}", os.O_TMPFILE | os.O_RDWR, 0o644)
        os.write(fd, way.encode())
        if way == "empty": failed = libc.linkat(fd, b"", -100, (target + way).encode(), 0x1000)
        else: failed = libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, (target + way).encode(), 0x400)
        print(errno.errorcode[ctypes.get_errno()] if failed else "linked")`

describe.skipIf(!isInstalled('python3'))('a file made with O_TMPFILE', () => {
  it.for(['.', 'deep'])('gets a name in the workspace, made in %s', async (directory, { skip }) => {
    const filtered = cannotBorrow()
    if (filtered) return skip(filtered)
    const cwd = makeRepository()
    const { stdout } = await run(cwd, python(linking(directory, ['top-', 'deep/below-'])))
    expect(stdout).toBe('linked\n'.repeat(4))
    const made = ['top-empty', 'top-proc', 'deep/below-empty', 'deep/below-proc']
    expect(made.map((name) => readFileSync(join(cwd, name), 'utf8'))).toEqual([
      'empty',
      'proc',
      'empty',
      'proc',
    ])
    expect(made.map((name) => lstatSync(join(cwd, name)).nlink)).toEqual([1, 1, 1, 1])
  })

  it('gets no name that is protected or outside', async () => {
    const cwd = makeRepository()
    const outside = join(makeDirectory(), 'out-')
    const targets = [outside, '.git/hooks/pre-', '.vscode/', '.git/hooks/../hooks/x']
    const { stdout } = await run(cwd, `mkdir .vscode; ${python(linking('.', targets))}`)
    expect(stdout.split('\n').filter((line) => line === 'linked')).toEqual([])
    expect(existsSync(`${outside}empty`) || existsSync(`${outside}proc`)).toBe(false)
    expect(readdirSync(join(cwd, '.git/hooks')).filter((name) => !name.endsWith('.sample'))).toEqual([])
  })

  it('gives no new name to a protected file through a descriptor', async () => {
    const cwd = makeRepository()
    const program = `
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open(".git/config", os.O_RDONLY)
failed = libc.linkat(fd, b"", -100, b"a", 0x1000)
print(failed)
print(libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, b"b", 0x400))`
    const { stdout } = await run(cwd, python(program))
    expect(stdout).toBe('-1\n-1\n')
    expect(lstatSync(join(cwd, '.git/config')).nlink).toBe(1)
  })
})

const parallel = 20

/** This process's descriptors that lead to it, or are seccomp listeners of commands. */
function descriptorsOf(workspace: string): string[] {
  const targetOf = (fd: string) => tried(() => readlinkSync(`/proc/self/fd/${fd}`)) ?? ''
  const targets = readdirSync('/proc/self/fd').map(targetOf)
  return targets.filter((target) => target === workspace || target === 'anon_inode:seccomp notify')
}

describe.skipIf(process.platform !== 'linux')('the threads that make changes', () => {
  it('leave no descriptor to the host, though a process in the background is the last to end', async () => {
    const workspace = join(makeDirectory(), 'tree')
    mkdirSync(workspace)
    const shell = await openTestShell({ cwd: workspace, mode: 'workspace' })
    for (let i = 0; i < parallel; i++)
      expect(await shell.execute({ command: `mkfifo p${i}; (echo > p${i}) & exit 0` })).toMatchObject({
        exitCode: 0,
      })
    // The ruleset that is kept for the next command has one.
    expect(await waitFor(() => descriptorsOf(workspace).length <= 1)).toBe(true)
  })
})

/** asm/unistd_64.h, asm-generic/unistd.h: what the filters of containers refuse without CAP_SYS_ADMIN and CAP_SYS_PTRACE. */
const refusedCalls = [process.arch === 'x64' ? 272 : 97, 438]

/** What a command in workspace mode tells under such a filter. */
function tellInContainer(command: string, cwd: string) {
  const home = makeDirectory()
  const program = join(repository, 'test/fixtures/host/refusing-calls.py')
  const filters = refusedCalls.flatMap((call) =>
    ['python3', program, constants.errno.EPERM, call, call].map(String),
  )
  const teller = writeTeller(home, command, { mode: 'workspace', cwd })
  const [first = '', ...argv] = [...filters, process.execPath, teller]
  return toldBy(execFileSync(first, argv, { encoding: 'utf8', env: { ...process.env, HOME: home } }))
}

describe.skipIf(process.platform !== 'linux' || !isInstalled('python3'))(
  'where a container refuses unshare',
  () => {
    it('entries are made with the umask of the command, and the host keeps its own', () => {
      const [workspace, before] = [makeDirectory(), process.umask()]
      const command =
        'umask 0; mkdir open; echo x > file; (umask 077; mkdir closed; mknod fifo p); umask 027; mkdir group'
      expect(tellInContainer(command, workspace).result).toMatchObject({ exitCode: 0, denials: [] })
      const modeOf = (name: string) => (statSync(join(workspace, name)).mode & 0o777).toString(8)
      expect(['open', 'file', 'closed', 'fifo', 'group'].map(modeOf)).toEqual([
        '777',
        '666',
        '700',
        '600',
        '750',
      ])
      expect(process.umask()).toBe(before)
    })

    it('nothing changes outside, and protected names stay free', () => {
      const [workspace, outside] = [makeDirectory(), makeDirectory()]
      const { result } = tellInContainer(
        `echo x > ${outside}/a; ln -s ${outside} l; echo x > l/b; mkdir .vscode`,
        workspace,
      )
      expect(result.denials.map(({ path }) => path)).toEqual([
        `${outside}/a`,
        `${outside}/b`,
        `${workspace}/.vscode`,
      ])
      expect(readdirSync(outside)).toEqual([])
      expect(existsSync(join(workspace, '.vscode'))).toBe(false)
    })

    it('a FIFO is opened when its other end is', () => {
      const { result } = tellInContainer('mkfifo f; cat f & echo through > f; wait', makeDirectory())
      expect(result).toMatchObject({ exitCode: 0, stdout: 'through\n' })
    })
  },
)
