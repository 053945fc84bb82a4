import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join, normalize } from 'node:path'
import { tried } from './errno.ts'
import { isBeneath, realPath } from './paths.ts'
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

/**
 * What vitrine itself runs outside of the sandbox is looked for here alone, whatever PATH says: PATH may name the project, the
 * current directory, or one that commands change. The last two are of NixOS, which has no others.
 */
const toolDirectories: readonly string[] = [
  ...systemDirectories,
  '/run/current-system/sw/bin',
  '/nix/var/nix/profiles/default/bin',
]

export const toolPath = toolDirectories.join(delimiter)

/** A program of the system, such as stty; undefined if there is none. */
export function systemTool(name: string): string | undefined {
  return toolDirectories
    .map((directory) => join(directory, name))
    .find((file) => tried(() => accessSync(file, constants.X_OK) === undefined))
}

/** PATH for a command of the user's configuration: without relative entries, and without those of projects. */
export function pathOutside(path: string, projects: readonly string[]): string {
  const isOutside = (entry: string) =>
    isAbsolute(entry) && [entry, realPath(entry) ?? entry].every((at) => !isProjectDirectory(at, projects))
  return path.split(delimiter).filter(isOutside).join(delimiter) || toolPath
}
