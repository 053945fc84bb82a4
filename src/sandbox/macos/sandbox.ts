import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorReason } from '../../base/errno.ts'
import { realPath } from '../../base/paths.ts'
import type { Unmet, UnmetInWorkspace } from '../../base/refusal.ts'
import { visible } from '../../base/text.ts'
import type { Enforcement } from '../../base/types.ts'
import { unavailable } from '../../messages/error.ts'
import {
  enforced,
  notEnforced,
  outputOnly,
  readableLocks,
  readsEnforcement,
  workspaceNotes,
} from '../enforcement.ts'
import { unmetPrivateTmp, useWritable } from '../private-tmp.ts'
import {
  type Changes,
  cannotConfine,
  type PrivateDirectories,
  type Sandbox,
  type SandboxOptions,
  type SeatbeltConfinement,
} from '../sandbox.ts'
import {
  type Kept,
  keptBeneath,
  type OtherName,
  otherName,
  type ProfileOptions,
  placesOf,
  seatbeltProfile,
  wrapperOf,
} from './profile.ts'

/** Why workspace mode is refused: its profile is about names. */
function protectedHasLinks({ path, why }: OtherName): UnmetInWorkspace {
  const wanted = 'protected files without further names (hard links)'
  if (why === 'too-many')
    return {
      for: 'workspace',
      wanted,
      got: `too many files to look at, near ${visible(path)}`,
      remedy: 'name fewer directories in [workspace] protected',
    }
  const remedy = 'give it a copy of its own: cp -p FILE FILE.new && mv FILE.new FILE'
  return { for: 'workspace', wanted, got: `${visible(path)}, which has further names`, remedy }
}

/** @param tool sandbox-exec(1) */
export function macosSandbox(tool = '/usr/bin/sandbox-exec'): Sandbox {
  return {
    privateDirectories: macosPrivateDirectories,
    privateTmpByDefault: true,
    confine(options): SeatbeltConfinement {
      const other = options.changes && otherName(placesOf(options.changes.protected))
      if (other) throw unavailable(protectedHasLinks(other))
      const profile = profileOf(options)
      const refusal = tryOut(tool, {
        ...profile,
        ...(options.privateTmp && { privateTmp: tmpdir() }),
      })
      if (refusal) throw unavailable(refusal)
      return seatbelt(tool, profile)
    },
    throughProxy(confinement, { port }) {
      if (confinement.kind !== 'seatbelt') throw new Error(`no proxy for ${confinement.kind}`)
      return confinement.through(port)
    },
    enforcement: macosEnforcement,
  }
}

function seatbelt(tool: string, profile: ProfileOptions): SeatbeltConfinement {
  return {
    kind: 'seatbelt',
    wrapper: () => wrapperOf(tool, seatbeltProfile(profile)),
    through: (proxyPort) => seatbelt(tool, { ...profile, proxyPort }),
    writing: (privateTmp) => seatbelt(tool, { ...profile, privateTmp }),
  }
}

function profileOf({ network, reads, changes }: SandboxOptions): ProfileOptions {
  const { readable, unreadable, names } = reads
  return {
    network,
    unreadable,
    names,
    ...(changes && { changes: keptFrom(changes, unreadable) }),
    ...(readable && { readable: [readable.workspace, ...readable.others, ...readable.unlinked] }),
  }
}

/** What is unreadable stays where it is, too: under another name it could be read. */
function keptFrom(changes: Changes, unreadable: readonly string[]): readonly Kept[] {
  const places = unreadable.flatMap((path) => [path, realPath(path) ?? path])
  const unread = keptBeneath({ ...changes, protected: places, closed: [], unmade: [] })
  return [...keptBeneath(changes), ...unread.filter(({ paths }) => paths.length > 0)]
}

/** sandbox-exec exits with EX_OSERR (sysexits(3)) when sandbox_apply(3) fails. */
const applyFailed = 71

/** Tries the profile on /usr/bin/true: a sandbox cannot be applied inside another. */
function tryOut(tool: string, profile: ProfileOptions): Unmet | undefined {
  const { status, error, stderr } = spawnSync(
    tool,
    wrapperOf(tool, seatbeltProfile(profile)).slice(1).concat('/usr/bin/true'),
    { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000, env: {} },
  )
  if (status === 0) return undefined
  return {
    wanted: 'sandbox-exec of macOS',
    got: failureOf(tool, status, error?.message ?? stderr.trim()),
    remedy: 'run it on macOS, outside of any other sandbox',
  }
}

function failureOf(tool: string, status: number | null, said: string): string {
  if (status === applyFailed)
    return 'it cannot apply a profile, because this process already runs in a sandbox'
  if (status === null) return `${tool} cannot be run: ${said}`
  return `it refuses the profile with exit code ${status}: ${said}`
}

function macosEnforcement({ network, reads, changes, privateTmp }: SandboxOptions): Enforcement {
  const files = enforced('seatbelt', changes ? workspaceNotes.beside : undefined)
  return {
    'file contents': files,
    'file metadata': files,
    ...(changes && {
      workspace: enforced(
        'seatbelt',
        `${workspaceNotes.changes(changes)}; no hard links; not tested on a Mac yet`,
      ),
    }),
    'device nodes': enforced(
      'seatbelt',
      'ioctl on a device that can be opened for reading is not restricted',
    ),
    locks: notEnforced(readableLocks),
    network: networks[network],
    'unix sockets': enforced('seatbelt', network === 'all' ? 'the resolver is allowed' : undefined),
    signals: enforced('seatbelt'),
    'other processes': enforced('seatbelt', 'LaunchServices, Apple events and launchd jobs are refused'),
    ipc: enforced('seatbelt', 'POSIX IPC only; other Mach services are not restricted'),
    system: enforced('seatbelt'),
    terminals: enforced('seatbelt', 'a session of its own'),
    survivors: notEnforced('the process group is killed; a child that left it lives on'),
    'death of the host': notEnforced('a command that ignores SIGTERM lives on when this process is killed'),
    ...readsEnforcement('seatbelt', reads),
    ...(privateTmp && { 'private tmp': enforced('seatbelt', ownTmp) }),
    'denial reports': notEnforced(outputOnly),
  }
}

const networks = {
  none: enforced('seatbelt'),
  hosts: enforced('seatbelt', 'TCP to the listed hosts, by a proxy in this process (docs/network.md)'),
  all: notEnforced('allowed: TCP and UDP clients; refused: listening and unix sockets'),
}

const ownTmp = 'if this process is killed, the system removes what is left; no hard links in it'

/** mkdtemp(3): only their owner can enter; the command's profile allows writing there. */
const macosPrivateDirectories: PrivateDirectories = {
  make(temporary) {
    const path = makeIn(temporary)
    return {
      path,
      async remove() {
        try {
          await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 })
          return undefined
        } catch (error) {
          return errorReason(error)
        }
      },
    }
  },
  grant(confinement, directory) {
    if (confinement.kind !== 'seatbelt') throw cannotConfine('private tmp', confinement.kind)
    return confinement.writing(directory)
  },
}

function makeIn(temporary: string): string {
  try {
    return mkdtempSync(join(realpathSync(temporary), 'vitrine-'))
  } catch (error) {
    const got = `none can be created in ${temporary}: ${errorReason(error)}`
    throw unavailable({ ...unmetPrivateTmp, got, remedy: useWritable })
  }
}
