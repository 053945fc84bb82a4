import type { UnmetInWorkspace } from '../base/refusal.ts'
import { visible } from '../base/text.ts'
import type { Changes, RepositoriesLack } from '../sandbox/sandbox.ts'
import type { UnfitRootFound } from '../sandbox/workspace/changes.ts'

const unknownConfig = 'a configuration of git that may name any file of the workspace'

const reasons: Readonly<Record<Exclude<UnfitRootFound['why'], 'obeyed'>, string>> = {
  root: 'which is the root of the file system',
  home: 'which is, or holds, the home directory',
  own: 'which holds, or lies in, the configuration or the state of vitrine',
  devices: 'which lies in /dev, where sandboxed commands can read no files',
  link: 'with a symbolic link on the way to it',
  missing: 'which does not exist',
  file: 'which is not a directory',
  protected: 'which lies in what is protected outside of the project file',
  unlistable: 'a repository that cannot be protected, because its name is not UTF-8',
  'config-size': `${unknownConfig}, because it is larger than 1 MiB`,
  'config-kind': `${unknownConfig}, because it is not a regular file`,
  'config-unreadable': `${unknownConfig}, because it cannot be read`,
  'config-invalid': `${unknownConfig}, because git refuses it or it is not UTF-8`,
  'record-unreadable': 'the record of the repositories of the workspace, which cannot be read',
  'config-many': `${unknownConfig}, because more than 500 files are included`,
}

export function unfitRoot({ path, why, listed, obeyed }: UnfitRootFound): UnmetInWorkspace {
  const reason = why === 'obeyed' ? obeyedReason(path, obeyed) : reasons[why]
  return {
    for: 'workspace',
    wanted: 'a directory that commands may change',
    got: `${visible(path)}, ${reason}`,
    remedy: remedyFor(why, listed),
  }
}

function obeyedReason(path: string, obeyed: UnfitRootFound['obeyed']): string {
  const way = obeyed && obeyed.path !== path ? `which lies in ${visible(obeyed.path)}, ` : ''
  return `${way}where programs outside the sandbox obey what they find (${obeyed?.by})`
}

function remedyFor(why: UnfitRootFound['why'], listed: boolean): string {
  if (why === 'unlistable') return 'rename that directory'
  if (why === 'record-unreadable')
    return 'let vitrine read that directory (permissions, "ulimit -n"), or remove it'
  if (why === 'config-unreadable')
    return 'let vitrine read that file (permissions of it and of what it lies in)'
  if (why === 'config-kind') return 'put a regular file in its place, or remove it'
  if (why.startsWith('config-'))
    return 'mend that file ("git config --list --file FILE" says what git reads in it)'
  if (why === 'obeyed')
    return listed
      ? 'take it out of [workspace] writable, and change it in write mode'
      : 'start in a project, or change it in write mode'
  return listed
    ? 'take it out of [workspace] writable, or list a directory inside of it'
    : 'start in a project, or name one with --workspace'
}

const wanted = 'a system that keeps changes inside a directory (Linux 6.2 or newer, with Landlock; macOS)'

/** Where nothing can enforce workspace mode. */
export const workspaceElsewhere = {
  windows: {
    for: 'workspace',
    wanted,
    got: 'Windows, where Low integrity cannot open one directory without changing the labels of its files',
    remedy: 'use --mode read or --mode write',
  },
} as const satisfies Record<string, UnmetInWorkspace>

/** The docker backend mounts Node and vitrine's addon, which hold the command inside of the container. */
export function workspaceInContainer(missing: string): UnmetInWorkspace {
  return {
    for: 'workspace',
    wanted: 'a Node of Linux with the addon of vitrine, to hold the command inside of the container',
    got: missing,
    remedy: 'use --backend local, or --mode read or --mode write',
  }
}

/** Follows the note on what is open. */
export function lackText(lack: RepositoriesLack): string {
  switch (lack.kind) {
    case 'unwalked':
      return 'not every directory was searched for repositories: those not found are not protected'
    case 'too-many':
      return 'only 1000 repositories are protected'
    case 'unsaved':
      return `repositories that commands make are forgotten with this process (${lack.reason})`
  }
}

/** Notes of `enforcement` that several systems share. */

export const outputOnly = 'refusals show only in the output of the command'
export const readableLocks = 'a file that can be read can be locked'

export const workspaceNotes = {
  beside: 'outside of the workspace',
  changes: ({ roots, protected: kept, lacks }: Changes) =>
    `open: ${roots.join(', ')}, less ${kept.length} protected paths${lacks ? `; ${lackText(lacks)}` : ''}`,
} as const
