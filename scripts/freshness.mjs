// Decides whether something built is older than what it is built from.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The newest modification time (ms) below the given paths, directories included. */
export function newest(paths) {
  return Math.max(...paths.map((path) => newestBelow(join(root, path))))
}

/** The oldest modification time (ms) of the given files; 0 when one is missing. */
export function oldest(paths) {
  return Math.min(...paths.map((path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0))
}

function newestBelow(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  const inside = readdirSync(path).map((name) => newestBelow(join(path, name)))
  return Math.max(stat.mtimeMs, ...inside)
}
