import { mkdirSync } from 'node:fs'
import { errorReason } from '../base/errno.ts'
import type { Enforcement } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import { readsNotes } from '../messages/reads.ts'
import { enforced, notEnforced } from './enforcement.ts'
import { restrictsReads, type Sandbox, type WindowsProbe } from './sandbox.ts'
import { refuseUnixSockets } from './unix-sockets.ts'

/**
 * Low integrity in a job, set up by the addon: the command cannot change objects labelled Medium or above.
 */
export function windowsSandbox(probe: WindowsProbe): Sandbox {
  return {
    confine({ reads, unixSockets }) {
      if (!probe.held) throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...missing(probe) })
      if (restrictsReads(reads)) throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...readsStayOpen })
      refuseUnixSockets(unixSockets, 'Windows')
      makeLowTemp()
      return { kind: 'low-integrity' }
    },
    enforcement: () => (probe.uiLimits ? windowsEnforcement : { ...windowsEnforcement, desktop: nestedJob }),
  }
}

const readsStayOpen = {
  wanted: 'files that cannot be read ([shell] reads, unreadable)',
  got: 'Windows, where Low integrity does not stop reading',
  remedy: 'set reads = "everywhere" and unreadable = []',
}

/**
 * Creates the TEMP of read-mode commands: Windows labels everything in LocalLow as Low. Without a profile
 * TEMP is unchanged.
 */
function makeLowTemp(): void {
  const profile = process.env['USERPROFILE']
  if (profile === undefined) return
  const directory = `${profile}\\AppData\\LocalLow\\Temp`
  try {
    mkdirSync(directory, { recursive: true })
  } catch (error) {
    throw new VitrineError({
      code: 'SANDBOX_UNAVAILABLE',
      wanted: 'a TEMP that Low integrity can write to',
      got: `${directory} cannot be made (${errorReason(error)})`,
      remedy: 'make this directory yourself, or set USERPROFILE to your own profile',
    })
  }
}

const remedy = 'run it on Windows 10 or newer, not under an emulation that has no integrity levels'

/** ERROR_PRIVILEGE_NOT_HELD, winerror.h: CreateProcessAsUserW needs SeIncreaseQuotaPrivilege. */
const privilegeNotHeld = 1314
const privilegeRemedy =
  'run it as a user with the right "Adjust memory quotas for a process" (SeIncreaseQuotaPrivilege), or with --backend docker'

function missing({ error, lowered, noWriteUp }: WindowsProbe) {
  const wanted = 'processes at Low integrity (mandatory level 0x1000)'
  if (error === privilegeNotHeld)
    return {
      wanted,
      got: 'this account may not start them (Windows error 1314)',
      remedy: privilegeRemedy,
    }
  return { wanted, got: shortfall({ error, lowered, noWriteUp }), remedy }
}

function shortfall({
  error,
  lowered,
  noWriteUp,
}: Pick<WindowsProbe, 'error' | 'lowered' | 'noWriteUp'>): string {
  if (error !== 0) return `starting one failed with Windows error ${error}`
  const level = `0x${lowered.toString(16)}`
  if (lowered > 0x1000) return `a process that was lowered runs at ${level} all the same`
  const policy = noWriteUp ? 'and is not held' : 'but its token may write up'
  return `a lowered process runs at ${level}, ${policy}`
}

const nestedJob = notEnforced(
  'this process runs in the job of another program, where Windows allows no limits on clipboard and display',
)

const lowPlaces =
  'what is labelled Low stays writable: %USERPROFILE%\\AppData\\LocalLow, %TEMP%\\Low, explicit Low entries, what the command makes there'

const windowsEnforcement: Enforcement = {
  'file contents': enforced('low integrity', lowPlaces),
  'file metadata': enforced('low integrity', lowPlaces),
  'device nodes': enforced('low integrity', 'devices judge by their own security descriptors'),
  locks: notEnforced('a file that can be read can be locked'),
  reads: notEnforced(readsNotes.everywhere),
  network: notEnforced('Low integrity does not stop the network'),
  'named pipes': enforced('low integrity', 'pipes labelled Low can be connected to'),
  registry: enforced('low integrity', 'HKCU\\Software\\AppDataLow stays writable'),
  'other processes': enforced('low integrity', 'processes that run at Low themselves can be changed'),
  privileges: enforced('restricted token', 'none but SeChangeNotifyPrivilege'),
  desktop: enforced('job', 'no clipboard, no display settings, no end of the session'),
  descriptors: enforced('handle list', 'nothing but the three standard handles is inherited'),
  survivors: enforced('job'),
  'death of the host': enforced('job', 'kill on close'),
  'denial reports': notEnforced('refusals show in the output of the command only'),
}
