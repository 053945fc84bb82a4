import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VitrineError } from '../errors.ts'
import type { Enforcement, RightEnforcement } from '../result/result.ts'
import type { Sandbox, SandboxOptions, SeatbeltConfinement } from './sandbox.ts'

/** What a profile is made for. Paths are real ones: /tmp is /private/tmp there. */
export interface ProfileOptions extends Pick<SandboxOptions, 'network'> {
  /** The only directory of the user's whose files can be read. Default: all can. */
  readonly workspace?: string
  /** Files and directories that cannot be read. */
  readonly unreadable?: readonly string[]
  /** A directory that can be written. */
  readonly privateTmp?: string
  /** What denials are found by in the log: letters and digits. */
  readonly tag: string
}

/** A profile's text, and the values of its parameters. */
export interface Profile {
  readonly text: string
  readonly parameters: Readonly<Record<string, string>>
}

/** sandbox-exec. `tool` is its path: a test puts a double there. */
export function macosSandbox(tool = '/usr/bin/sandbox-exec'): Sandbox {
  let tried: { readonly refusal: Missing | undefined } | undefined
  return {
    confine(options): SeatbeltConfinement {
      tried ??= { refusal: tryOut(tool) }
      if (tried.refusal) throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...tried.refusal })
      if (options.reads.names) throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...namesCannotBeHeld })
      const profile = seatbeltProfile({ ...placesOf(options), tag: randomBytes(8).toString('hex') })
      return { kind: 'seatbelt', wrapper: wrapperOf(tool, profile) }
    },
    enforcement: macosEnforcement,
  }
}

const namesCannotBeHeld: Missing = {
  wanted: 'files that cannot be read because of their name',
  got: 'macOS, where only paths are kept from being read yet',
  remedy: 'name paths in [shell] unreadable, without "secrets"',
}

function placesOf({ network, reads }: SandboxOptions): Omit<ProfileOptions, 'tag'> {
  const { readable, unreadable } = reads
  return { network, unreadable, ...(readable && { workspace: readable.workspace }) }
}

/** What stands before a command, so that it runs under the profile. */
export function wrapperOf(tool: string, { text, parameters }: Profile): [string, ...string[]] {
  const values = Object.entries(parameters).map(([name, value]) => `-D${name}=${value}`)
  return [tool, '-p', text, ...values, '--']
}

/** Puts the profile together: sections of macos.sbpl, in its order. */
export function seatbeltProfile(options: ProfileOptions): Profile {
  const { network, workspace, unreadable = [], privateTmp, tag } = options
  if (!/^[0-9A-Za-z]+$/.test(tag)) throw new Error('a tag is letters and digits')
  const sections = readSections()
  const section = (name: string) => sections.get(name) ?? ''
  const parameters: Record<string, string> = {}
  const parts = [section('always')]
  if (workspace !== undefined) {
    parameters['WORKSPACE'] = workspace
    parts.push(section('reads-workspace'))
  }
  if (privateTmp !== undefined) {
    parameters['PRIVATE_TMP'] = privateTmp
    parts.push(section('private-tmp'))
  }
  for (const [index, path] of unreadable.entries()) {
    parameters[`UNREADABLE_${index}`] = path
    parts.push(section('unreadable').replace('"UNREADABLE"', `"UNREADABLE_${index}"`))
  }
  parts.push(section(network ? 'network-on' : 'network-off'))
  return { text: parts.join('').replaceAll('VITRINE_TAG', tag), parameters }
}

function readSections(): Map<string, string> {
  const [, ...sections] = readFileSync(profileFile(), 'utf8').split(/^;@ /m)
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.split('\n')
      const rules = lines.filter((line) => line.trim() !== '' && !line.startsWith(';'))
      return [name.trim(), `${rules.join('\n')}\n`]
    }),
  )
}

/** The file lies in the package, from dist/ as from src/. */
function profileFile(): string {
  const name = 'src/sandbox/macos.sbpl'
  let directory = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(directory, name)) && dirname(directory) !== directory)
    directory = dirname(directory)
  return join(directory, name)
}

interface Missing {
  readonly wanted: string
  readonly got: string
  readonly remedy: string
}

/** Exit code of sandbox-exec when sandbox_apply(3) fails: EX_OSERR, sysexits(3). */
const applyFailed = 71

/** Runs nothing under a profile, to see that one holds here. A sandbox inside a sandbox cannot be applied. */
function tryOut(tool: string): Missing | undefined {
  const wanted = 'sandbox-exec of macOS'
  const { status, error, stderr } = spawnSync(
    tool,
    wrapperOf(tool, seatbeltProfile({ network: false, tag: 'probe' }))
      .slice(1)
      .concat('/usr/bin/true'),
    { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000, env: {} },
  )
  if (status === 0) return undefined
  const remedy = 'run it on macOS, outside of every other sandbox'
  if (error) return { wanted, got: `${tool} could not be run: ${error.message}`, remedy }
  if (status === applyFailed)
    return { wanted, got: 'it cannot apply a profile: this process is in a sandbox already', remedy }
  return { wanted, got: `it refused the profile with exit code ${status}: ${stderr.trim()}`, remedy }
}

function held(by: string, note?: string): RightEnforcement {
  return note === undefined ? { enforced: true, by } : { enforced: true, by, note }
}

function open(note: string): RightEnforcement {
  return { enforced: false, by: 'none', note }
}

function macosEnforcement({ network }: SandboxOptions): Enforcement {
  return {
    'file contents': held('seatbelt'),
    'file metadata': held('seatbelt'),
    'device nodes': held('seatbelt', 'ioctl on a device that can be opened for reading is not judged'),
    locks: open('a file that can be read can be locked'),
    network: network
      ? open('TCP and UDP clients are allowed; listening and unix sockets are not')
      : held('seatbelt'),
    'unix sockets': held('seatbelt', network ? 'the resolver is let through' : undefined),
    signals: held('seatbelt'),
    'other processes': held('seatbelt', 'LaunchServices, Apple events and launchd jobs are refused'),
    ipc: held('seatbelt', 'POSIX only; other Mach services are not judged'),
    system: held('seatbelt'),
    terminals: held('seatbelt', 'a session of its own'),
    survivors: open('the process group is killed; a child that left it lives on'),
    'death of the host': open('a command that ignores SIGTERM lives on when this process is killed'),
    'denial reports': open('refusals show in the output of the command only'),
  }
}
