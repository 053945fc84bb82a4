import { realpathSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { tried } from './errno.ts'
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
