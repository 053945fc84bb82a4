import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import type { Enforcement } from '../../base/types.ts'
import { VitrineError } from '../../messages/error.ts'
import { enforced, notEnforced, readsEnforcement } from '../enforcement.ts'
import type { Sandbox, SandboxOptions, SeatbeltConfinement } from '../sandbox.ts'
import { refuseUnixSockets } from '../unix-sockets.ts'
import { type DenialLog, openDenialLog } from './log.ts'
import { type ProfileOptions, seatbeltProfile, wrapperOf } from './profile.ts'
import { macosPrivateDirectories } from './tmp.ts'

/** Absolute paths of macOS programs; tests replace them. */
export interface MacosTools {
  readonly sandboxExec: string
  readonly log: string
}

const macosTools: MacosTools = { sandboxExec: '/usr/bin/sandbox-exec', log: '/usr/bin/log' }

export function macosSandbox(tools: MacosTools = macosTools): Sandbox {
  let log: DenialLog | undefined
  return {
    privateDirectories: macosPrivateDirectories,
    privateTmpByDefault: true,
    confine(options): SeatbeltConfinement {
      const profile = profileOf(options)
      const refusal = tryOut(tools.sandboxExec, {
        ...profile,
        ...(options.privateTmp && { privateTmp: tmpdir() }),
      })
      if (refusal) throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...refusal })
      refuseUnixSockets(options.unixSockets, 'macOS')
      log ??= openDenialLog(tools.log)
      return seatbelt(tools.sandboxExec, profile, log)
    },
    enforcement: (options) => macosEnforcement(options, log),
    close: () => log?.close(),
  }
}

type Untagged = Omit<ProfileOptions, 'tag'>

function seatbelt(tool: string, profile: Untagged, log: DenialLog): SeatbeltConfinement {
  return {
    kind: 'seatbelt',
    begin() {
      const { tag, denials } = log.begin()
      return { wrapper: wrapperOf(tool, seatbeltProfile({ ...profile, tag })), denials }
    },
    writing: (privateTmp) => seatbelt(tool, { ...profile, privateTmp }, log),
  }
}

function profileOf({ network, reads }: SandboxOptions): Untagged {
  const { readable, unreadable, names } = reads
  return {
    network,
    unreadable,
    names,
    ...(readable && { readable: [readable.workspace, ...readable.others] }),
  }
}

interface Missing {
  readonly wanted: string
  readonly got: string
  readonly remedy: string
}

/** sandbox-exec exits with EX_OSERR (sysexits(3)) when sandbox_apply(3) fails. */
const applyFailed = 71

/**
 * Runs /usr/bin/true under the profile to see that it works here. A sandbox cannot be applied inside another.
 */
function tryOut(tool: string, profile: Untagged): Missing | undefined {
  const wanted = 'sandbox-exec of macOS'
  const { status, error, stderr } = spawnSync(
    tool,
    wrapperOf(tool, seatbeltProfile({ ...profile, tag: 'probe' }))
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

function macosEnforcement(
  { network, reads, privateTmp }: SandboxOptions,
  log: DenialLog | undefined,
): Enforcement {
  return {
    'file contents': enforced('seatbelt'),
    'file metadata': enforced('seatbelt'),
    'device nodes': enforced('seatbelt', 'ioctl on a device that can be opened for reading is not judged'),
    locks: notEnforced('a file that can be read can be locked'),
    network: network
      ? notEnforced('TCP and UDP clients are allowed; listening and unix sockets are not')
      : enforced('seatbelt'),
    'unix sockets': enforced('seatbelt', network ? 'the resolver is let through' : undefined),
    signals: enforced('seatbelt'),
    'other processes': enforced('seatbelt', 'LaunchServices, Apple events and launchd jobs are refused'),
    ipc: enforced('seatbelt', 'POSIX only; other Mach services are not judged'),
    system: enforced('seatbelt'),
    terminals: enforced('seatbelt', 'a session of its own'),
    survivors: notEnforced('the process group is killed; a child that left it lives on'),
    'death of the host': notEnforced('a command that ignores SIGTERM lives on when this process is killed'),
    ...readsEnforcement('seatbelt', reads),
    ...(privateTmp && {
      'private tmp': enforced(
        'seatbelt',
        'what a host leaves that is killed is left to the system; no hard links in it',
      ),
    }),
    // A getter, because the log can be lost at any time.
    get 'denial reports'() {
      return log?.enforcement() ?? notEnforced('refusals show in the output of the command only')
    },
  }
}
