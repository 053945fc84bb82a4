import { mkdirSync } from 'node:fs'
import { errorReason } from '../base/errno.ts'
import type { Unmet, UnmetInWorkspace } from '../base/refusal.ts'
import type { Enforcement } from '../base/types.ts'
import { unavailable } from '../messages/error.ts'
import {
  enforced,
  notEnforced,
  outputOnly,
  readableLocks,
  readsEverything,
  refuseHosts,
} from './enforcement.ts'
import { restrictsReads, type Sandbox, type WindowsProbe } from './sandbox.ts'

const noWorkspace: UnmetInWorkspace = {
  for: 'workspace',
  wanted: 'a system that keeps changes inside a directory (Linux 6.2 or newer, with Landlock; macOS)',
  got: 'Windows, where Low integrity cannot open one directory without changing the labels of its files',
  remedy: 'use --mode read or --mode write',
}

const windowsReads: Unmet = {
  wanted: 'files that cannot be read ([shell] reads, unreadable)',
  got: 'Windows, where Low integrity does not restrict reading',
  remedy: 'set reads = "everywhere" and unreadable = []',
}

/** Low integrity in a job: the command cannot change objects labelled Medium or above. */
export function windowsSandbox(probe: WindowsProbe): Sandbox {
  return {
    confine({ network, reads, changes }) {
      if (changes) throw unavailable(noWorkspace)
      refuseHosts(network, 'Windows, where Low integrity does not restrict the network')
      if (!probe.held) throw unavailable(lowIntegrityMissing(probe))
      if (restrictsReads(reads)) throw unavailable(windowsReads)
      makeLowTemp()
      return { kind: 'low-integrity' }
    },
    enforcement: () => ({
      ...windowsEnforcement,
      ...(!probe.uiLimits && { desktop: notEnforced(nestedJob) }),
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
    throw unavailable({
      wanted: 'a TEMP directory that Low integrity can write to',
      got: `${directory} cannot be created (${errorReason(error)})`,
      remedy: 'create this directory yourself, or set USERPROFILE to your own profile',
    })
  }
}

/** ERROR_PRIVILEGE_NOT_HELD, winerror.h: CreateProcessAsUserW needs SeIncreaseQuotaPrivilege. */
const privilegeNotHeld = 1314

function lowIntegrityMissing(probe: WindowsProbe): Unmet {
  return {
    wanted: 'processes at Low integrity (mandatory level 0x1000)',
    got: shortfall(probe),
    remedy:
      probe.error === privilegeNotHeld
        ? 'run it as a user with the right "Adjust memory quotas for a process" (SeIncreaseQuotaPrivilege), or with --backend docker'
        : 'run it on Windows 10 or newer, not under an emulator without integrity levels',
  }
}

function shortfall({ error, lowered, noWriteUp }: WindowsProbe): string {
  if (error !== 0) return `starting one fails with Windows error ${error}`
  const level = `0x${lowered.toString(16)}`
  if (lowered > 0x1000) return `a process started at Low integrity runs at ${level}`
  return noWriteUp
    ? `a process at ${level} is not confined`
    : `a process at ${level} has a token that may write up`
}

const nestedJob =
  'this process runs in the job of another program, where Windows allows no limits on clipboard and display'

const files =
  'whatever is labelled Low stays writable: %USERPROFILE%\\AppData\\LocalLow, %TEMP%\\Low, explicit Low entries, files the command creates there'

const windowsEnforcement: Enforcement = {
  'file contents': enforced('low integrity', files),
  'file metadata': enforced('low integrity', files),
  'device nodes': enforced('low integrity', 'access follows the security descriptor of each device'),
  locks: notEnforced(readableLocks),
  reads: readsEverything,
  network: notEnforced('Low integrity does not restrict the network'),
  'named pipes': enforced('low integrity', 'pipes labelled Low can be connected to'),
  registry: enforced('low integrity', 'HKCU\\Software\\AppDataLow stays writable'),
  'other processes': enforced('low integrity', 'processes that run at Low integrity can be changed'),
  privileges: enforced('restricted token', 'none but SeChangeNotifyPrivilege'),
  desktop: enforced('job', 'no clipboard, no display settings, no logoff or shutdown'),
  descriptors: enforced('handle list', 'only the three standard handles are inherited'),
  survivors: enforced('job'),
  'death of the host': enforced('job', 'kill on close'),
  'denial reports': notEnforced(outputOnly),
}
