import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tried } from '../../../../src/base/errno.ts'
import type { Mode, Shell } from '../../../../src/index.ts'
import { buildPrograms } from '../../../attacks/build.ts'
import { type User, users } from '../../../attacks/table.ts'
import { terminal } from '../../../attacks/targets/terminal.ts'
import { nobody, whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { ownChildren } from '../../../helpers/processes.ts'
import { readable } from '../../../helpers/programs.ts'
import { runAs } from '../../../helpers/run-as.ts'

const modes: readonly Mode[] = ['read', 'write']

/** Node opens and closes a few descriptors of its own; a leak would count in hundreds. */
const ownSlack = 5

/** What this process holds, and the terminals of its watcher as well. */
function held() {
  const children = ownChildren()
  const targetOf = (link: string) => tried(() => readlinkSync(link)) ?? ''
  const descriptorsOf = (pid: number) => tried(() => readdirSync(`/proc/${pid}/fd`)) ?? []
  const ofWatcher = ({ commandLine }: { commandLine: string }) => commandLine.startsWith('vitrine-watcher')
  return {
    descriptors: descriptorsOf(process.pid).length,
    threads: readdirSync('/proc/self/task').length,
    terminals: [process.pid, ...children.map(({ pid }) => pid)]
      .flatMap((pid) => descriptorsOf(pid).map((fd) => targetOf(`/proc/${pid}/fd/${fd}`)))
      .filter((target) => target.endsWith('/ptmx')).length,
    children: children.filter((child) => !ofWatcher(child)).length,
  }
}

async function inARow(shell: Shell, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const pty = await shell.start({ command: `read line; echo "got $line"; exit ${at % 7}`, pty: true })
    pty.resize(100, 40)
    await pty.write(`${at}\n`)
    const { output, exitCode } = await pty.result
    if (!output.includes(`got ${at}\r\n`) || exitCode !== at % 7)
      throw new Error(JSON.stringify({ output, exitCode }))
  }
}

describe.each(modes)('in %s mode', (mode) => {
  it('200 terminals in a row leave nothing', async () => {
    const shell = await openTestShell({ mode })
    await inARow(shell, 20)
    const before = held()
    await inARow(shell, 200)
    const after = held()
    for (const what of ['descriptors', 'threads', 'terminals'] as const)
      expect(after[what] - before[what], what).toBeLessThanOrEqual(ownSlack)
    expect(after.children).toBe(0)
  })
})

type Ran = Partial<Readonly<Record<'output' | 'code' | 'step' | 'errno', string>>>

/** What a host of its own says of the terminals that it gives. */
function runHost(
  before: readonly string[],
  args: readonly string[],
  options: SpawnSyncOptions = {},
): readonly Ran[] {
  const script = join(readable, 'test/fixtures/host/terminals.mjs')
  const home = makeDirectory()
  const env = { ...process.env, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: home }
  const [program = '', ...words] = [...before, process.execPath, script, ...args]
  const { stdout, stderr, status } = spawnSync(program, words, { encoding: 'utf8', env, ...options })
  if (status !== 0) throw new Error(`${status} ${String(stderr)}`)
  return String(stdout)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Ran)
}

describe.each(modes)('a host of its own, in %s mode', (mode) => {
  it.skipIf(process.getuid?.() !== 0)(
    'of an ordinary user: the terminal is his, and can be changed and opened',
    ({ skip }) => {
      const reason = whyNot(nobody)
      if (reason) return skip(reason)
      const line = 'stty -echo < /dev/tty; echo named > "$(tty)"; stat -c %u "$(tty)"'
      const [ran] = runHost([], [mode, '1', line], { ...nobody, cwd: '/' })
      expect(ran).toEqual({ output: 'named\r\n65534\r\n', exitCode: 0, denials: [] })
    },
  )

  it('without descriptors to spare says at which step it failed, and nothing ran', () => {
    const ran = runHost(['prlimit', '--nofile=90:90'], [mode, '60', 'echo ran; sleep 0.5'])
    const failed = ran.filter(({ code }) => code !== undefined)
    expect(failed.length).toBeGreaterThan(0)
    for (const one of failed) expect(one).toMatchObject({ code: 'SPAWN_FAILED', errno: 'EMFILE' })
    expect(failed.some(({ step }) => step === 'terminal')).toBe(true)
    for (const one of ran) if (!one.code) expect(one).toMatchObject({ output: 'ran\r\n', exitCode: 0 })
  })
})

const [current] = users
const mounts = current?.uid === 0 && spawnSync('unshare', ['-m', 'true']).status === 0

/** A session leader without a terminal gets the one that it opens for reading (tty_ioctl(4)), and /dev/tty then means it. */
const program = `
import os, sys
os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
os.write(os.open('/dev/tty', os.O_WRONLY), b'written')
`

/** Whether a command writes to a terminal of another process that it reaches by another mount of /dev. */
async function writes(user: User, mode: 'read' | 'workspace' | 'write'): Promise<boolean> {
  const directory = makeDirectory()
  const [cwd, dev] = ['work', 'dev'].map((name) => join(directory, name)) as [string, string]
  for (const path of [cwd, dev]) mkdirSync(path)
  for (const path of [directory, cwd]) chownSync(path, user.uid, user.gid)
  const target = await terminal({ directory, programs: buildPrograms(), inherited: null })
  try {
    const path = target.offers['terminal'] ?? ''
    chownSync(path, user.uid, user.gid)
    const before = await target.observe()
    const as = `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups`
    await runAs(current as User, {
      options: { mode, cwd },
      commands: [['python3', '-c', program, path.replace('/dev', dev)]],
      wrapper: ['unshare', '-m', 'sh', '-c', `mount --rbind /dev ${dev} && exec ${as} "$@"`, 'sh'],
    })
    return (await target.observe()) !== before
  } finally {
    await target.dispose()
  }
}

for (const user of users)
  describe.runIf(process.platform === 'linux' && mounts && whyNot(user) === null)(
    `another terminal at another mount of /dev, as ${user.name}`,
    () => {
      it.each(['read', 'workspace'] as const)('is not written to in %s mode', async (mode) => {
        expect([await writes(user, mode), await writes(user, 'write')]).toEqual([false, true])
      })
    },
  )

describe.runIf(process.platform === 'linux')('a command without a terminal', () => {
  it.each(['echo x > /dev/tty', 'cd /dev && echo x > tty', 'cat /dev/tty', 'echo x > /dev/../dev/tty'])(
    'is told that it has none, and nothing is reported: %s',
    async (command) => {
      const [result] = await runAs(current as User, {
        options: { mode: 'read', cwd: '/' },
        commands: [['sh', '-c', command]],
      })
      expect(result?.stderr).toContain('No such device or address')
      expect(result?.denials).toEqual([])
    },
  )
})
