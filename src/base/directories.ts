import { lstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './errno.ts'

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
