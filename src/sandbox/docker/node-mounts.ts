import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { errorReason, tried } from '../../base/errno.ts'
import { packageFile } from '../../base/package-file.ts'
import { realPath } from '../../base/paths.ts'
import { insideMissing } from '../../messages/workspace.ts'
import type { UserMount } from './user-mounts.ts'

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
