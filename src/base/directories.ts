import { lstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './errno.ts'

/** Not `recursive`, which never returns where an existing directory answers ENOENT, as in /proc. */
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

/** EEXIST: another process has made it in the meantime. */
function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, mode)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
