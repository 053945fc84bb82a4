import { dirname, join } from 'node:path'
import { homeOf, isBeneath, realPath } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { mountMissing } from '../../messages/docker.ts'
import { refusalOf } from './refusal.ts'

export interface MountedPath {
  readonly source: string
  readonly target: string
}

export interface UserMount extends MountedPath {
  /** Write mode may change it. */
  readonly writable: boolean
}

export const hostsPath = '/etc/hosts'

/** The commands' home directory, a tmpfs. */
const containerHome = '/tmp'

/**
 * Absolute paths with `:ro` or `:rw`. One in the home directory is mounted in the commands' home, where tools
 * look; any other at its own path. Throws SANDBOX_UNAVAILABLE if missing.
 */
export function readUserMounts(entries: readonly string[], env: Environment): readonly UserMount[] {
  const home = homeOf(env)
  return entries.map((entry) => {
    const path = entry.slice(0, -3)
    const target = isBeneath(path, home) ? join(containerHome, path.slice(home.length)) : path
    return { source: existing(path), target, writable: entry.endsWith(':rw') }
  })
}

/** Without symbolic links, so that a container that mounts something else is detected. */
function existing(path: string): string {
  const real = realPath(path)
  if (real === undefined) throw refusalOf(mountMissing(path))
  return real
}

/** On the way from the home directory to a mount: the engine would create them owned by root. */
export function directoriesOnTheWay(mounts: readonly UserMount[]): readonly string[] {
  const found = new Set<string>()
  for (const { target } of mounts)
    for (let at = dirname(target); at !== containerHome && isBeneath(at, containerHome); at = dirname(at))
      found.add(at)
  return [...found].filter((path) => mounts.every(({ target }) => target !== path))
}
