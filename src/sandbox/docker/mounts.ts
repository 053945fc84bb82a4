import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorReason, tried } from '../../base/errno.ts'
import { packageFile } from '../../base/package-file.ts'
import { homeOf, isBeneath, realPath } from '../../base/paths.ts'
import type { Environment } from '../../base/types.ts'
import { mountMissing } from '../../messages/docker.ts'
import { insideMissing } from '../../messages/workspace.ts'
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

/** Paths in a container of workspace mode: Node, and vitrine's part that confines commands. */
export const inside = {
  loader: '/.vitrine/loader',
  libraries: '/.vitrine/lib',
  node: '/.vitrine/node',
  script: '/.vitrine/inside.cjs',
  addon: '/.vitrine/vitrine.node',
} as const

/** The mounts, or why they cannot be made. */
export type MadeMounts = readonly UserMount[] | { readonly missing: string }

/**
 * This process's Node with its libraries, and vitrine's part: an image need not have them, nor this machine's C library.
 */
export function nodeMounts(): MadeMounts {
  const mapped = mappedFiles()
  const loader = mapped.find((path) => /^ld-(linux|musl).*\.so/.test(basename(path)))
  const addon = mapped.find((path) => basename(path) === 'vitrine.node')
  if (process.release.name !== 'node' || process.versions['bun'] || process.versions['electron'])
    return { missing: insideMissing.node }
  if (loader === undefined) return { missing: insideMissing.loader }
  if (addon === undefined) return { missing: insideMissing.addon }
  try {
    return mountsOf(loader, addon)
  } catch (error) {
    return { missing: insideMissing.libraries(loader, errorReason(error)) }
  }
}

function mountsOf(loader: string, addon: string): readonly UserMount[] {
  const node = realPath(process.execPath) ?? process.execPath
  const listed = execFileSync(loader, ['--list', node], { encoding: 'utf8', env: {} })
  const libraries = [...listed.matchAll(/^\s*(\S+) => (\/.+) \(0x/gm)].map(([, name = '', path = '']) => ({
    source: path,
    target: `${inside.libraries}/${basename(name)}`,
  }))
  const script = packageFile('dist/inside.cjs')
  const own = [
    { source: loader, target: inside.loader },
    { source: node, target: inside.node },
    { source: script, target: inside.script },
    { source: addon, target: inside.addon },
  ]
  return [...own, ...libraries].map(({ source, target }) => ({
    source: realPath(source) ?? source,
    target,
    writable: false,
  }))
}

/** Files in this process's memory (proc_pid_maps(5)). */
function mappedFiles(): readonly string[] {
  const maps = tried(() => readFileSync('/proc/self/maps', 'utf8')) ?? ''
  return [...new Set([...maps.matchAll(/ (\/.+)$/gm)].map(([, path = '']) => path))]
}
