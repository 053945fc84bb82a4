import { mkdirSync } from 'node:fs'
import { errorReason } from '../base/errno.ts'
import type { Unmet, UnmetInWorkspace } from '../base/refusal.ts'
import type { Enforcement } from '../base/types.ts'
import { unavailable } from '../messages/error.ts'
import { hostsNeed } from '../messages/sandbox/network.ts'
import { outputOnly, readableLocks } from '../messages/workspace.ts'
import { enforced, notEnforced, readsEverything, refuseChanges, refuseHosts } from './enforcement.ts'
import { restrictsReads, type Sandbox, type WindowsProbe } from './sandbox.ts'

const windowsReads: Unmet = {
  wanted: 'files that cannot be read ([shell] reads, unreadable)',
  got: 'Windows, where Low integrity does not restrict reading',
  remedy: 'set reads = "everywhere" and unreadable = []',
}

const noWorkspace: UnmetInWorkspace = {
  for: 'workspace',
  wanted: 'a system that keeps changes inside a directory (Linux 6.2 or newer, with Landlock; macOS)',
  got: 'Windows, where Low integrity cannot open one directory without changing the labels of its files',
  remedy: 'use --mode read or --mode write',
}

function lowTempMissing(directory: string, reason: string): Unmet {
  return {
    wanted: 'a TEMP directory that Low integrity can write to',
    got: `${directory} cannot be created (${reason})`,
    remedy: 'create this directory yourself, or set USERPROFILE to your own profile',
  }
}

const lowIntegrity = 'processes at Low integrity (mandatory level 0x1000)'

/** ERROR_PRIVILEGE_NOT_HELD: CreateProcessAsUserW needs SeIncreaseQuotaPrivilege. */
const privilegeMissing: Unmet = {
  wanted: lowIntegrity,
  got: 'this account may not start them (Windows error 1314)',
  remedy:
    'run it as a user with the right "Adjust memory quotas for a process" (SeIncreaseQuotaPrivilege), or with --backend docker',
}

/** @param lowered the integrity level of a process started at Low integrity */
function lowIntegrityMissing(error: number, lowered: number, noWriteUp: boolean): Unmet {
  return {
    wanted: lowIntegrity,
    got: shortfall(error, lowered, noWriteUp),
    remedy: 'run it on Windows 10 or newer, not under an emulator without integrity levels',
  }
}

function shortfall(error: number, lowered: number, noWriteUp: boolean): string {
  if (error !== 0) return `starting one fails with Windows error ${error}`
  const level = `0x${lowered.toString(16)}`
  if (lowered > 0x1000) return `a process started at Low integrity runs at ${level}`
  return noWriteUp
    ? `a process at ${level} is not confined`
    : `a process at ${level} has a token that may write up`
}

const windowsNotes = {
  files:
    'whatever is labelled Low stays writable: %USERPROFILE%\\AppData\\LocalLow, %TEMP%\\Low, explicit Low entries, files the command creates there',
  devices: 'access follows the security descriptor of each device',
  locks: readableLocks,
  network: 'Low integrity does not restrict the network',
  pipes: 'pipes labelled Low can be connected to',
  registry: 'HKCU\\Software\\AppDataLow stays writable',
  processes: 'processes that run at Low integrity can be changed',
  privileges: 'none but SeChangeNotifyPrivilege',
  desktop: 'no clipboard, no display settings, no logoff or shutdown',
  nestedJob:
    'this process runs in the job of another program, where Windows allows no limits on clipboard and display',
  handles: 'only the three standard handles are inherited',
  hostDeath: 'kill on close',
  reports: outputOnly,
} as const

/** Low integrity in a job: the command cannot change objects labelled Medium or above. */
export function windowsSandbox(probe: WindowsProbe): Sandbox {
  return {
    confine({ network, reads, changes }) {
      refuseChanges(changes, noWorkspace)
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
  reads: readsEverything,
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
