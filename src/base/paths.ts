import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
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

export function homeOf(env: Environment): string {
  return env['HOME'] || homedir()
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
