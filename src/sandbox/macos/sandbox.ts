import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorReason } from '../../base/errno.ts'
import { realPath } from '../../base/paths.ts'
import type { Unmet } from '../../base/refusal.ts'
import type { Enforcement } from '../../base/types.ts'
import { unavailable } from '../../messages/error.ts'
import { cannotConfine } from '../../messages/platform.ts'
import { privateTmpNotMade } from '../../messages/private-tmp.ts'
import {
  macosNotes,
  protectedHasLinks,
  sandboxExecFailures,
  sandboxExecMissing,
} from '../../messages/sandbox/macos.ts'
import { enforced, notEnforced, readsEnforcement } from '../enforcement.ts'
import type { Changes, PrivateDirectories, Sandbox, SandboxOptions, SeatbeltConfinement } from '../sandbox.ts'
import {
  type Kept,
  keptBeneath,
  otherName,
  type ProfileOptions,
  placesOf,
  seatbeltProfile,
  wrapperOf,
} from './profile.ts'

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
  const unread = keptBeneath({ ...changes, protected: places, closed: [] })
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
  if (error) return sandboxExecMissing(sandboxExecFailures.notRun(tool, error.message))
  if (status === applyFailed) return sandboxExecMissing(sandboxExecFailures.nested)
  return sandboxExecMissing(sandboxExecFailures.refused(status, stderr.trim()))
}

function macosEnforcement({ network, reads, changes, privateTmp }: SandboxOptions): Enforcement {
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
    'denial reports': notEnforced(macosNotes.reports),
  }
}

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
    if (confinement.kind !== 'seatbelt') throw new Error(cannotConfine('private tmp', confinement.kind))
    return confinement.writing(directory)
  },
}

function makeIn(temporary: string): string {
  try {
    return mkdtempSync(join(realpathSync(temporary), 'vitrine-'))
  } catch (error) {
    throw unavailable(privateTmpNotMade(temporary, errorReason(error)))
  }
}
