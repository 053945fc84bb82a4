import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { thisHost } from '../../../../src/host/host.ts'
import { type Addon, loadAddon } from '../../../../src/launch/addon.ts'
import { openShellOn } from '../../../../src/shell.ts'
import { type User, users } from '../../../attacks/table.ts'
import { afterFile } from '../../../helpers/clean-up.ts'
import { mounted } from '../../../helpers/mounted.ts'
import { whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { waitFor } from '../../../helpers/processes.ts'
import { runAs } from '../../../helpers/run-as.ts'
import { makeWorkspace, watched } from '../protected.ts'
import { describeAttacks, type Place } from './attack.ts'
import { type Act, forTargets, onTargets } from './targets.ts'

/** A repository that appears after commands have run. */
async function expectProtected(cwd: string, settleMs: number): Promise<void> {
  mkdirSync(cwd, { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd })
  const shell = await openTestShell({ cwd, mode: 'workspace' })
  await setTimeout(settleMs)
  for (let before = 0; before < 4; before++) await shell.execute({ command: 'true' })
  execFileSync('git', ['init', '-q', 'sub'], { cwd })
  await shell.execute({ command: 'echo "[changed]" >> sub/.git/config' })
  expect(readFileSync(join(cwd, 'sub/.git/config'), 'utf8')).not.toContain('changed')
}

/** With inodes of 128 bytes ext4 keeps whole seconds only. */
const at = mounted('mkfs.ext4 -q -I 128 image')

it.skipIf(at === null).each([1, 2, 3, 4, 5])(
  'a repository that appears is protected where times are whole seconds (try %d)',
  (number) => expectProtected(join(at ?? '', `project-${number}`), 0),
)

/** Its topmost directory has no times. */
const vfat = mounted('mkfs.vfat -F 32 image')

it.skipIf(vfat === null)('a repository made in the topmost directory of vfat is protected', () =>
  // Until what git has written is older than a tick of the file system's clock.
  expectProtected(vfat ?? '', 4500),
)

/** The topmost directory has time 0, as on vfat, which not every kernel has. */
const timeless = mounted('mkfs.ext4 -q image && debugfs -w -R "sif <2> ctime 19700101000000" image')

it.skipIf(timeless === null)('a directory without times never counts as unchanged', () => {
  const addon = loadAddon<Addon>()
  if ('missing' in addon) throw new Error(addon.missing)
  const states = (path: string) => addon.unchanged(addon.snapshot([], [path]))
  expect(statSync(timeless ?? '').ctimeMs).toBe(0)
  expect([states('/etc'), states(timeless ?? '')]).toEqual([true, false])
})

const [current] = users
const mounts = current?.uid === 0 && spawnSync('unshare', ['-m', 'true']).status === 0

/** What is mounted before the host starts, and what a command then tries by that name. */
const rows = [
  ['a bind mount of a protected directory', '.git/hooks src/at', 'echo x > src/at/new'],
  ['a bind mount of a protected directory beside it', '.git/hooks at', 'echo x > at/new; rm at/pre-commit'],
  ['a bind mount of the git directory', '.git src/at', 'echo x > src/at/config; chmod 600 src/at/config'],
  ['a bind mount of the workspace', '. src/at', 'echo x > src/at/.git/config; mkdir src/at/.idea'],
  ['a bind mount of a directory outside', '../outside src/at', 'echo x > src/at/file; touch src/at/new'],
  ['a bind mount of a protected file', '.git/config src/main.c', 'echo x >> src/main.c'],
  ['a bind mount in a directory of a grant', '.vscode src/deep/at', 'cd src/deep/at && rm settings.json'],
] as const

/** The mounts are made by root in a namespace of their own; the host has the user's rights. */
async function run(user: User, mode: 'workspace' | 'write', mount: string, command: string) {
  const cwd = makeWorkspace(user)
  execFileSync('mkdir', ['-p', 'src/at', 'src/deep/at', 'at'], { cwd })
  const before = watched(cwd)
  const as = `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups`
  const start = `cd ${cwd} && ${mount} && cd / && exec ${as} "$@"`
  const results = await runAs(current as User, {
    options: { mode, cwd },
    commands: [['sh', '-c', command]],
    wrapper: ['unshare', '-m', 'sh', '-c', start, 'sh'],
  })
  return { before, after: watched(cwd), result: results[0] }
}

for (const user of users)
  describe.runIf(process.platform === 'linux' && mounts && whyNot(user) === null)(
    `mounts beneath a workspace, as ${user.name}`,
    () => {
      it.for(rows)('%s changes nothing by the other name', async ([, places, command]) => {
        const held = await run(user, 'workspace', `mount --bind ${places}`, command)
        expect(held.after, held.result?.stderr).toEqual(held.before)
        expect(held.result?.exitCode).not.toBe(0)
        const open = await run(user, 'write', `mount --bind ${places}`, command)
        expect(open.after, open.result?.stderr).not.toEqual(open.before)
      })
    },
  )

/** A directory that also shows at another path, as with a bind mount, or where the file system folds case. */
function shownTwice(): readonly [string, string] | null {
  const [cwd, other] = [makeDirectory(), makeDirectory()]
  if (process.platform !== 'linux' || spawnSync('mount', ['--bind', cwd, other]).status !== 0) return null
  afterFile(() => void execFileSync('umount', [other]))
  return [cwd, other]
}

const shown = shownTwice()

it.skipIf(shown === null)('own files given by another path of the workspace are protected', async () => {
  const [cwd, other] = shown ?? ['', '']
  const config = join(other, 'vitrine.toml')
  writeFileSync(
    config,
    `[audit]\npath = ${JSON.stringify(join(other, 'audit'))}\n[workspace]\nprotected = []\n`,
  )
  const env = { ...process.env, XDG_STATE_HOME: makeDirectory(), XDG_CONFIG_HOME: makeDirectory() }
  const shell = await openShellOn(thisHost(), { cwd, config, mode: 'workspace', env })
  await shell.execute({ command: 'true' })
  const line = 'echo x > new; echo "# more" >> vitrine.toml; mv audit moved; : > audit.1'
  await shell.execute({ command: line }).finally(() => shell.close())
  expect(readFileSync(config, 'utf8')).not.toContain('# more')
  expect([existsSync(join(cwd, 'audit')), existsSync(join(cwd, 'new'))]).toEqual([true, true])
  expect(readdirSync(cwd)).not.toContain('audit.1')
})

/** linux/fs.h */
const [FICLONE, FICLONERANGE, FIDEDUPERANGE] = [0x40049409, 0x4020940d, 0xc0189436]

const acts: readonly Act[] = [
  ['FICLONE', `ioctl(t, ${FICLONE}, source)`],
  ['FICLONERANGE', `ioctl(t, ${FICLONERANGE}, struct.pack("qQQQ", source, 0, 0, 0))`],
]

/** Blocks are shared only where both hold the same, and only the places of the blocks change. */
const dedupe: Act = [
  'FIDEDUPERANGE',
  `range = bytearray(struct.pack("QQHHIqQQiI", 0, 4096, 1, 0, 0, t, 0, 0, 0, 0)); os.fsync(source); ioctl(source, ${FIDEDUPERANGE}, range); print(struct.unpack_from("i", range, 48))`,
  {
    prepare: forTargets('f = open(path, "wb"); f.write(b"x" * 8192); f.flush(); os.fsync(f.fileno())'),
    needs: ['python3', 'filefrag'],
    look: ['filefrag', '-v', '.git/config', '.vscode/settings.json', '../outside/file'],
  },
]

const mountXfs = 'truncate -s 320M image && mkfs.xfs -q image && mount -o loop image at'

function whyNoMount(): string | null {
  if (process.getuid?.() !== 0) return 'takes root'
  const at = makeDirectory()
  mkdirSync(join(at, 'at'))
  const { status, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', mountXfs], { cwd: at, encoding: 'utf8' })
  return status === 0 ? null : `no XFS can be mounted: ${stderr.trim().slice(-80)}`
}

/** A process in whose mount namespace the file system is mounted. */
function holdMount(directory: string): ChildProcess {
  mkdirSync(join(directory, 'at'))
  chmodSync(directory, 0o755)
  const script = `${mountXfs} && touch at/mounted && exec cat`
  return spawn('unshare', ['-m', 'sh', '-c', script], {
    cwd: directory,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
}

const reason = process.platform === 'linux' ? whyNoMount() : 'takes Linux'

describe.skipIf(reason)(`on a file system with reflinks${reason ? `: ${reason}` : ''}`, () => {
  let holder: ChildProcess | undefined
  let made = 0
  const directory = makeDirectory()
  const inside = () => `/proc/${holder?.pid}/root`
  const enter = () => ['nsenter', '--mount', '--target', String(holder?.pid)]

  const place: Place = {
    ground(user) {
      const original = dirname(makeWorkspace(user))
      const copy = join(directory, 'at', `${made++}`)
      const [program = '', ...words] = [...enter(), 'cp', '-a', original, copy]
      execFileSync(program, words)
      const cwd = join(copy, 'work')
      return { cwd, seen: `${inside()}${cwd}` }
    },
    wrapper: ({ uid, gid }) => [
      ...enter(),
      ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
    ],
  }

  beforeAll(async () => {
    holder = holdMount(directory)
    if (!(await waitFor(() => existsSync(`${inside()}${directory}/at/mounted`))))
      throw new Error('the file system was not mounted')
  }, 60_000)

  afterAll(async () => {
    holder?.stdin?.end()
    await waitFor(() => holder?.exitCode !== null)
  })

  describeAttacks('calls that share blocks', onTargets([...acts, dedupe]), place)
})

describe('short names', () => {
  const at = mounted('mkfs.vfat -F 32 image')

  function makeProject(): string {
    const cwd = join(at ?? '', 'project')
    mkdirSync(join(cwd, '.vscode'), { recursive: true })
    execFileSync('git', ['init', '-q'], { cwd })
    writeFileSync(join(cwd, '.envrc'), '')
    writeFileSync(join(cwd, '.vscode/settings.json'), '')
    return cwd
  }

  /** vfat then reads each inode that no process holds anew, under another number. */
  function dropCaches(): void {
    for (let time = 0; time < 3; time++) {
      execFileSync('sync')
      writeFileSync('/proc/sys/vm/drop_caches', '3')
    }
  }

  const targets = ['.envrc', '.git/config', '.vscode/settings.json']

  /** Appends to what is protected by its short names, once it is told to. */
  const attack = `touch ready
while [ ! -e go ]; do sleep 0.1; done
for name in ENVRC~1 GIT~1/CONFIG VSCODE~1/settings.json; do echo '[changed]' >> $name; done
echo '[changed]' >> unheld`

  it.skipIf(at === null)('short names of vfat lead to nothing protected, whatever left memory', async () => {
    const cwd = makeProject()
    writeFileSync(join(cwd, 'unheld'), '')
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    const running = shell.execute({ command: attack, timeoutMs: 60_000 })
    while (!existsSync(join(cwd, 'ready'))) await setTimeout(50)
    dropCaches()
    expect(statSync(join(cwd, 'ENVRC~1')).ino).toBe(statSync(join(cwd, '.envrc')).ino)
    writeFileSync(join(cwd, 'go'), '')
    await running
    const changed = (name: string) => readFileSync(join(cwd, name), 'utf8').includes('[changed]')
    expect([changed('unheld'), ...targets.map(changed)]).toEqual([true, false, false, false])
  })

  it.skipIf(at === null)('commands make no git directory on vfat', async () => {
    const cwd = join(at ?? '', 'none')
    mkdirSync(cwd)
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    await shell.execute({ command: 'git init -q; mkdir .git; mkdir GIT~1 .GIT; echo x > GIT~1/config' })
    expect(readdirSync(cwd).filter((name) => /^\.git$/i.test(name))).toEqual([])
  })
})
