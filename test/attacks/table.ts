import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { thisHost } from '../../src/host/host.ts'
import { credentials, giveTo, nobody, whyNot } from '../helpers/other-users.ts'
import { readable } from '../helpers/programs.ts'
import type { Inherited, Report } from './attack.ts'
import { buildPrograms, buildRunner } from './build.ts'
import type { ReadErrand } from './reads/runner.ts'
import type { Errand } from './runner.ts'

const library = join(readable, 'dist/index.js')

/** Who tries the table. */
export interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

function currentUser(): User {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1]
  return { name: uid === 0 ? 'root' : `the current user (uid ${uid})`, uid, gid }
}

const current = currentUser()

/** The account that .ci/run makes, else the kernel's overflow id, which needs no account. */
function ordinaryUser(): User {
  const [uid, gid] = ['-u', '-g'].map((option) => spawnSync('id', [option, 'vitrine-test']))
  if (uid?.status !== 0) return { name: 'nobody', ...nobody }
  return { name: 'vitrine-test', uid: Number(uid.stdout), gid: Number(gid?.stdout) }
}

/** The current user, and beside root an ordinary one. */
export const users: readonly User[] = current.uid === 0 ? [current, ordinaryUser()] : [current]

/** Far above what node marks as close-on-exec when it starts (libuv, uv_disable_stdio_inheritance). */
const FILE_LEFT_OPEN = 40
const DIRECTORY_LEFT_OPEN = 41

/** What a user needs to try anything at all; the reason why not, or null. */
function unreachableFor(user: User, runner: string): string | null {
  if (!existsSync(library)) throw new Error(`${library} is not there: run npm run build first`)
  const reads = spawnSync('test', ['-r', runner], { ...credentials(user), cwd: '/' }).status === 0
  return whyNot(user) ?? (reads ? null : `${user.name} cannot read ${runner}`)
}

/** Files of that user's, to be left open in the runner. */
function makeInherited(user: User, directory: string): Inherited {
  const [file, inner] = [join(directory, 'file'), join(directory, 'inner')]
  mkdirSync(inner)
  writeFileSync(file, 'left open')
  chmodSync(directory, 0o755)
  giveTo(user, directory)
  return {
    descriptor: FILE_LEFT_OPEN,
    file,
    directoryDescriptor: DIRECTORY_LEFT_OPEN,
    directory: inner,
  }
}

/** Runs the runner as that user: the library itself must be that user's. Returns what it printed. */
async function runRunner(
  user: User,
  runner: string,
  errand: Errand | ReadErrand,
  leftOpen: readonly number[],
): Promise<string> {
  const nothing = Array.from({ length: FILE_LEFT_OPEN - 3 }, () => 'ignore' as const)
  const child = spawn(process.execPath, [runner], {
    ...credentials(user),
    cwd: '/',
    env: {
      ...process.env,
      HOME: '/dev/null/home',
      XDG_CONFIG_HOME: '/dev/null/home',
      XDG_STATE_HOME: '/dev/null/home',
      // What commands have of their own answers otherwise: test/linux/notify/world attacks that.
      VITRINE_SHELL_OWN_SOCKETS: 'false',
      VITRINE_TEST_GETFD_ERRNO: String(thisHost().probe?.getfdErrno ?? 0),
    },
    stdio: ['pipe', 'pipe', 'inherit', ...nothing, ...leftOpen],
  })
  child.stdin?.end(JSON.stringify(errand))
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code === 0) return text
  throw new Error(`the runner ended with ${code}; its last words: ${text.slice(-500)}`)
}

function parseReports(text: string): ReadonlyMap<string, Report> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => JSON.parse(line) as Report).map((report) => [report.name, report]))
}

/** How the table is tried. */
type Circumstance = Pick<Errand, 'mode' | 'network' | 'controls' | 'rows'>

/** Tries rows of the table as that user. A string says why that user cannot try it at all. */
export async function tryTable(
  user: User,
  circumstance: Circumstance,
): Promise<ReadonlyMap<string, Report> | string> {
  const programs = buildPrograms()
  const runner = buildRunner()
  const unreachable = unreachableFor(user, runner)
  if (unreachable) return unreachable
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-inherited-'))
  const inherited = makeInherited(user, directory)
  const leftOpen = [openSync(inherited.file, 'r+'), openSync(inherited.directory, 'r')]
  try {
    const errand = { library, programs, ...circumstance, inherited }
    return parseReports(await runRunner(user, runner, errand, leftOpen))
  } finally {
    leftOpen.forEach(closeSync)
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Tries to read what is kept from being read, as that user. A string says why that user cannot try it at all. */
export async function tryReads(user: User): Promise<ReadonlyMap<string, Report> | string> {
  const { reads: program } = buildPrograms()
  const runner = buildRunner('reads/runner')
  const unreachable = unreachableFor(user, runner)
  return unreachable ?? parseReports(await runRunner(user, runner, { library, program }, []))
}
