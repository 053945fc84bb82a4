import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { realPath } from '../../base/paths.ts'
import type { Unmet } from '../../base/refusal.ts'
import type { Denial, Enforcement } from '../../base/types.ts'
import { unavailable } from '../../messages/error.ts'
import {
  macosNotes,
  protectedHasLinks,
  sandboxExecFailures,
  sandboxExecMissing,
} from '../../messages/sandbox/macos.ts'
import { enforced, notEnforced, readsEnforcement } from '../enforcement.ts'
import type { Changes, Sandbox, SandboxOptions, SeatbeltConfinement } from '../sandbox.ts'
import { refuseUnixSockets } from '../unavailable.ts'
import { isKept, type Kept, keptBeneath, placesOf } from './kept.ts'
import { type DenialLog, openDenialLog } from './log.ts'
import { otherName } from './other-names.ts'
import { type ProfileOptions, seatbeltProfile, wrapperOf } from './profile.ts'
import { macosPrivateDirectories } from './tmp.ts'

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
      const other = options.changes && otherName(placesOf(options.changes.protected))
      if (other) throw unavailable(protectedHasLinks(other))
      const profile = profileOf(options)
      const refusal = tryOut(tools.sandboxExec, {
        ...profile,
        ...(options.privateTmp && { privateTmp: tmpdir() }),
      })
      if (refusal) throw unavailable(refusal)
      refuseUnixSockets(options.unixSockets, 'macOS')
      log ??= openDenialLog(tools.log)
      return seatbelt(tools.sandboxExec, profile, log)
    },
    throughProxy(confinement, { port }) {
      if (confinement.kind !== 'seatbelt') throw new Error(`no proxy for ${confinement.kind}`)
      return confinement.through(port)
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
      return {
        wrapper: wrapperOf(tool, seatbeltProfile({ ...profile, tag })),
        denials: async (expected) => (await denials(expected)).map((denial) => marked(denial, profile)),
      }
    },
    through: (proxyPort) => seatbelt(tool, { ...profile, proxyPort }, log),
    writing: (privateTmp) => seatbelt(tool, { ...profile, privateTmp }, log),
  }
}

function marked(denial: Denial, { changes }: Untagged): Denial {
  const isProtected = changes && denial.path !== undefined && isKept(changes, denial.path)
  return isProtected ? { ...denial, protected: true } : denial
}

function profileOf({ network, reads, changes }: SandboxOptions): Untagged {
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
  const unread = keptBeneath({ ...changes, protected: places, closed: [] })
  return [...keptBeneath(changes), ...unread.filter(({ paths }) => paths.length > 0)]
}

/** sandbox-exec exits with EX_OSERR (sysexits(3)) when sandbox_apply(3) fails. */
const applyFailed = 71

/** Tries the profile on /usr/bin/true: a sandbox cannot be applied inside another. */
function tryOut(tool: string, profile: Untagged): Unmet | undefined {
  const { status, error, stderr } = spawnSync(
    tool,
    wrapperOf(tool, seatbeltProfile({ ...profile, tag: 'probe' }))
      .slice(1)
      .concat('/usr/bin/true'),
    { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000, env: {} },
  )
  if (status === 0) return undefined
  if (error) return sandboxExecMissing(sandboxExecFailures.notRun(tool, error.message))
  if (status === applyFailed) return sandboxExecMissing(sandboxExecFailures.nested)
  return sandboxExecMissing(sandboxExecFailures.refused(status, stderr.trim()))
}

function macosEnforcement(
  { network, reads, changes, privateTmp }: SandboxOptions,
  log: DenialLog | undefined,
): Enforcement {
  return {
    'file contents': enforced('seatbelt', changes ? macosNotes.beside : undefined),
    'file metadata': enforced('seatbelt', changes ? macosNotes.beside : undefined),
    ...(changes && { workspace: enforced('seatbelt', macosNotes.changes(changes)) }),
    'device nodes': enforced('seatbelt', macosNotes.devices),
    locks: notEnforced(macosNotes.locks),
    network:
      network === 'all'
        ? notEnforced(macosNotes.network)
        : enforced('seatbelt', network === 'hosts' ? macosNotes.hosts : undefined),
    'unix sockets': enforced('seatbelt', network === 'all' ? macosNotes.resolver : undefined),
    signals: enforced('seatbelt'),
    'other processes': enforced('seatbelt', macosNotes.processes),
    ipc: enforced('seatbelt', macosNotes.ipc),
    system: enforced('seatbelt'),
    terminals: enforced('seatbelt', macosNotes.terminals),
    survivors: notEnforced(macosNotes.survivors),
    'death of the host': notEnforced(macosNotes.hostDeath),
    ...readsEnforcement('seatbelt', reads),
    ...(privateTmp && {
      'private tmp': enforced('seatbelt', macosNotes.privateTmp),
    }),
    // A getter, because the log can be lost at any time.
    get 'denial reports'() {
      return log?.enforcement() ?? notEnforced(macosNotes.reports)
    },
  }
}
