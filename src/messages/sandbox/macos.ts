import type { Unmet, UnmetInWorkspace } from '../../base/refusal.ts'
import { visible } from '../../base/text.ts'
import type { OtherName } from '../../sandbox/macos/profile.ts'
import type { Changes } from '../../sandbox/sandbox.ts'
import { outputOnly, readableLocks, workspaceNotes } from './notes.ts'

/** @param got why sandbox-exec does not work here */
export function sandboxExecMissing(got: string): Unmet {
  return { wanted: 'sandbox-exec of macOS', got, remedy: 'run it on macOS, outside of any other sandbox' }
}

export const sandboxExecFailures = {
  notRun: (tool: string, reason: string) => `${tool} cannot be run: ${reason}`,
  nested: 'it cannot apply a profile, because this process already runs in a sandbox',
  refused: (status: number | null, stderr: string) =>
    `it refuses the profile with exit code ${status}: ${stderr}`,
} as const

/** Why workspace mode is refused: its profile is about names. */
export function protectedHasLinks({ path, why }: OtherName): UnmetInWorkspace {
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

export const macosNotes = {
  beside: workspaceNotes.beside,
  changes: (changes: Changes) => `${workspaceNotes.changes(changes)}; no hard links; not tested on a Mac yet`,
  devices: 'ioctl on a device that can be opened for reading is not restricted',
  locks: readableLocks,
  hosts: 'TCP to the listed hosts, by a proxy in this process (docs/network.md)',
  network: 'allowed: TCP and UDP clients; refused: listening and unix sockets',
  resolver: 'the resolver is allowed',
  processes: 'LaunchServices, Apple events and launchd jobs are refused',
  ipc: 'POSIX IPC only; other Mach services are not restricted',
  terminals: 'a session of its own',
  survivors: 'the process group is killed; a child that left it lives on',
  hostDeath: 'a command that ignores SIGTERM lives on when this process is killed',
  privateTmp: 'if this process is killed, the system removes what is left; no hard links in it',
  reports: outputOnly,
} as const
