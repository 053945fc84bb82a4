import { accessSync, constants, realpathSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { delimiter, isAbsolute, join, normalize, relative } from 'node:path'
import { tried } from './errno.ts'
import { words } from './text.ts'
import type { Environment } from './types.ts'

/** Whether `inner` is `outer` or lies beneath it. Both are absolute. */
export function isBeneath(inner: string, outer: string): boolean {
  const way = relative(outer, inner)
  return way === '' || (way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way))
}

/** Without symbolic links; undefined (ENOENT, ELOOP, EACCES) where a command could not use it either. */
export function realPath(path: string): string | undefined {
  return tried(() => realpathSync.native(path))
}

/**
 * An empty or relative HOME names no home directory: beneath the working directory a project's files would count as the
 * user's own. Then passwd(5) decides; a user id without an entry there has no home directory, and `/` belongs to root.
 */
export function homeDirectory(): string {
  const named = absoluteHome(homedir)
  // Only where it is needed: the lookup may ask a directory service, and blocks.
  return named ?? passwdHome() ?? '/'
}

/** Which ssh and others take for the home directory, whatever HOME says. */
export function passwdHome(): string | undefined {
  return absoluteHome(() => userInfo().homedir)
}

function absoluteHome(look: () => string): string | undefined {
  const home = tried(look)
  return home !== undefined && isAbsolute(home) ? home : undefined
}

export function homeOf(env: Environment): string {
  const named = env['HOME']
  return named !== undefined && isAbsolute(named) ? named : homeDirectory()
}

/** Beneath the home directory, where the variable names no directory (XDG Base Directory Specification). */
const usual = {
  XDG_CONFIG_HOME: '.config',
  XDG_DATA_HOME: '.local/share',
  XDG_STATE_HOME: '.local/state',
  XDG_CACHE_HOME: '.cache',
} as const

/** The specification ignores relative paths. */
export function baseDirectory(env: Environment, name: keyof typeof usual, home = homeOf(env)): string {
  const named = env[name]
  return named !== undefined && isAbsolute(named) ? named : join(home, usual[name])
}

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
