import { normalize } from 'node:path'
import { isBeneath } from './paths.ts'
import { words } from './text.ts'

/** A program in these directories is trusted by its name. */
export const systemDirectories: ReadonlySet<string> = new Set(
  words('/bin /usr/bin /usr/local/bin /opt/homebrew/bin /sbin /usr/sbin'),
)

const PACKAGE_BIN = /(?:^|[\\/])node_modules[\\/]\.bin(?:[\\/]|$)/i

/** Whether a directory lies in a project, or is a `node_modules/.bin`, which npm and npx put on PATH. */
export function isProjectDirectory(directory: string, projects: readonly string[]): boolean {
  const plain = normalize(directory)
  if (systemDirectories.has(plain)) return false
  return PACKAGE_BIN.test(plain) || projects.some((project) => isBeneath(plain, project))
}
