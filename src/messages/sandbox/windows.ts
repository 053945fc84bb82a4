import type { Unmet } from '../../base/refusal.ts'
import { outputOnly, readableLocks } from './notes.ts'

export const windowsReads: Unmet = {
  wanted: 'files that cannot be read ([shell] reads, unreadable)',
  got: 'Windows, where Low integrity does not restrict reading',
  remedy: 'set reads = "everywhere" and unreadable = []',
}

export function lowTempMissing(directory: string, reason: string): Unmet {
  return {
    wanted: 'a TEMP directory that Low integrity can write to',
    got: `${directory} cannot be created (${reason})`,
    remedy: 'create this directory yourself, or set USERPROFILE to your own profile',
  }
}

const wanted = 'processes at Low integrity (mandatory level 0x1000)'

/** ERROR_PRIVILEGE_NOT_HELD: CreateProcessAsUserW needs SeIncreaseQuotaPrivilege. */
export const privilegeMissing: Unmet = {
  wanted,
  got: 'this account may not start them (Windows error 1314)',
  remedy:
    'run it as a user with the right "Adjust memory quotas for a process" (SeIncreaseQuotaPrivilege), or with --backend docker',
}

/** @param lowered the integrity level of a process started at Low integrity */
export function lowIntegrityMissing(error: number, lowered: number, noWriteUp: boolean): Unmet {
  return {
    wanted,
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

export const windowsNotes = {
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
