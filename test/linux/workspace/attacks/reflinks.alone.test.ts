import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { makeDirectory } from '../../../helpers/place.ts'
import { waitFor } from '../../../helpers/processes.ts'
import { makeWorkspace } from '../protected.ts'
import { describeAttacks, type Place } from './attack.ts'
import { type Act, forTargets, onTargets } from './targets.ts'

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
