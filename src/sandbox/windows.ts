import { mkdirSync } from 'node:fs'
import { errorReason } from '../base/errno.ts'
import type { Unmet } from '../base/refusal.ts'
import type { Enforcement } from '../base/types.ts'
import { unavailable } from '../messages/error.ts'
import { readsNotes } from '../messages/reads.ts'
import { hostsNeed } from '../messages/sandbox/network.ts'
import {
  lowIntegrityMissing,
  lowTempMissing,
  privilegeMissing,
  windowsNotes,
  windowsReads,
} from '../messages/sandbox/windows.ts'
import { workspaceElsewhere } from '../messages/workspace.ts'
import { enforced, notEnforced, refuseChanges, refuseHosts } from './enforcement.ts'
import { restrictsReads, type Sandbox, type WindowsProbe } from './sandbox.ts'

/** Low integrity in a job: the command cannot change objects labelled Medium or above. */
export function windowsSandbox(probe: WindowsProbe): Sandbox {
  return {
    confine({ network, reads, changes }) {
      refuseChanges(changes, workspaceElsewhere.windows)
      refuseHosts(network, hostsNeed.windows)
      if (!probe.held) throw unavailable(missing(probe))
      if (restrictsReads(reads)) throw unavailable(windowsReads)
      makeLowTemp()
      return { kind: 'low-integrity' }
    },
    enforcement: () => ({
      ...windowsEnforcement,
      ...(!probe.uiLimits && { desktop: notEnforced(windowsNotes.nestedJob) }),
    }),
  }
}

/** Windows labels everything in LocalLow as Low. Without a profile TEMP is unchanged. */
function makeLowTemp(): void {
  const profile = process.env['USERPROFILE']
  if (profile === undefined) return
  const directory = `${profile}\\AppData\\LocalLow\\Temp`
  try {
    mkdirSync(directory, { recursive: true })
  } catch (error) {
    throw unavailable(lowTempMissing(directory, errorReason(error)))
  }
}

/** ERROR_PRIVILEGE_NOT_HELD, winerror.h. */
const privilegeNotHeld = 1314

function missing({ error, lowered, noWriteUp }: WindowsProbe): Unmet {
  return error === privilegeNotHeld ? privilegeMissing : lowIntegrityMissing(error, lowered, noWriteUp)
}

const windowsEnforcement: Enforcement = {
  'file contents': enforced('low integrity', windowsNotes.files),
  'file metadata': enforced('low integrity', windowsNotes.files),
  'device nodes': enforced('low integrity', windowsNotes.devices),
  locks: notEnforced(windowsNotes.locks),
  reads: notEnforced(readsNotes.everywhere),
  network: notEnforced(windowsNotes.network),
  'named pipes': enforced('low integrity', windowsNotes.pipes),
  registry: enforced('low integrity', windowsNotes.registry),
  'other processes': enforced('low integrity', windowsNotes.processes),
  privileges: enforced('restricted token', windowsNotes.privileges),
  desktop: enforced('job', windowsNotes.desktop),
  descriptors: enforced('handle list', windowsNotes.handles),
  survivors: enforced('job'),
  'death of the host': enforced('job', windowsNotes.hostDeath),
  'denial reports': notEnforced(windowsNotes.reports),
}
