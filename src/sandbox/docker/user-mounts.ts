import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isBeneath } from '../../base/program-path.ts'
import { mountMissing } from '../../messages/docker.ts'
import { refusalOf } from './refusal.ts'

/** A path of this machine, and where a container shows it. */
export interface Shown {
  readonly source: string
  readonly target: string
}

/** One of `[docker] mounts`. */
export interface UserMount extends Shown {
  /** Write mode may change it. */
  readonly writable: boolean
}

/** The home directory of commands, a tmpfs. */
const containerHome = '/tmp'

/**
 * Reads `[docker] mounts`: an absolute path, then `:ro` or `:rw`. What lies in the user's home directory is shown in the commands' one,
 * where tools look for it; the rest at its own path. Throws SANDBOX_UNAVAILABLE for a path that is not there.
 */
export function readMounts(
  entries: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly UserMount[]> {
  const home = env['HOME'] || homedir()
  return Promise.all(
    entries.map(async (entry) => {
      const path = entry.slice(0, -3)
      const target = isBeneath(path, home) ? join(containerHome, path.slice(home.length)) : path
      return { source: await existing(path), target, writable: entry.endsWith(':rw') }
    }),
  )
}

/** Without links: a container that shows something else in its place is noticed. */
async function existing(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    throw refusalOf(mountMissing(path))
  }
}

/**
 * Directories on the way to a mount in the home directory: the engine would make them root's, and nothing else could be
 * written beside the mount.
 */
export function directoriesOnTheWay(mounts: readonly UserMount[]): readonly string[] {
  const found = new Set<string>()
  for (const { target } of mounts)
    for (let at = dirname(target); at !== containerHome && isBeneath(at, containerHome); at = dirname(at))
      found.add(at)
  return [...found].filter((path) => mounts.every(({ target }) => target !== path))
}
