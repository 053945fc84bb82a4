import { lstatSync, mkdirSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { errorCode } from './errno.ts'
import { VitrineError } from './errors.ts'

/**
 * Makes a directory and those above it, one after the other: Node's `recursive` never ends where a directory that is there
 * answers ENOENT, as /proc does.
 */
export function makeDirectories(path: string, mode: number): void {
  const missing: string[] = []
  for (let at = path; !isThere(at); at = dirname(at)) missing.unshift(at)
  for (const directory of missing) makeOne(directory, mode)
}

function isThere(path: string): boolean {
  if (dirname(path) === path) return true
  try {
    return lstatSync(path) !== undefined
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

/** Another process may have made it meanwhile. */
function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, mode)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/** The current directory of this process. Throws INVALID_REQUEST where it does not exist any more. */
export function currentDirectory(): string {
  try {
    return process.cwd()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw new VitrineError({
      code: 'INVALID_REQUEST',
      problem: { kind: 'cwd', path: '.', reason: 'deleted' },
    })
  }
}

/** A path from the current directory on. Throws as `currentDirectory` does. */
export function absolutePath(path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(currentDirectory(), path)
}
