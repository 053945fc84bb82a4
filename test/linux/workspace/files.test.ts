import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tried } from '../../../src/base/errno.ts'
import type { Result } from '../../../src/index.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'
import { isInstalled, repository } from '../../helpers/programs.ts'
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
      const { stdout } = await run(cwd, `cd ${directory}; python3 -c '${program}'`)
      expect(stdout).toBe('rang\nENXIO\n')
    },
  )
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
    it('entries have the umask of the command, FIFOs open, and what is protected or outside stays', () => {
      const [workspace, outside, before] = [makeDirectory(), makeDirectory(), process.umask()]
      const command = `umask 0; mkdir open; echo x > file; (umask 077; mkdir closed; mknod fifo p); umask 027; mkdir group
        cat fifo & echo through > fifo; wait; echo x > ${outside}/a; ln -s ${outside} l; echo x > l/b; mkdir .vscode`
      const { result } = tellInContainer(command, workspace)
      const refused = [`${outside}/a`, `${outside}/b`, `${workspace}/.vscode`]
      expect([result.stdout, result.denials.map(({ path }) => path)]).toEqual(['through\n', refused])
      const modeOf = (name: string) => (statSync(join(workspace, name)).mode & 0o777).toString(8)
      const modes = { open: '777', file: '666', closed: '700', fifo: '600', group: '750' }
      expect(Object.keys(modes).map(modeOf)).toEqual(Object.values(modes))
      expect(process.umask()).toBe(before)
      expect([readdirSync(outside), existsSync(join(workspace, '.vscode'))]).toEqual([[], false])
    })
  },
)
