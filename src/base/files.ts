import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { errorCode, succeeds } from './errno.ts'

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

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Replaces a file: readers see the old text or the new one, and a crash leaves one of them (rename(2)). */
export function replaceFile(file: string, text: string, mode: number, owner?: Owner): void {
  const unfinished = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    writeNewFile(unfinished, text, mode, owner)
    renameSync(unfinished, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** Throws EEXIST for a file that exists. Where it cannot have its group, it has no rights for that group either. */
export function writeNewFile(file: string, content: string | Uint8Array, mode: number, owner?: Owner): void {
  const descriptor = openSync(file, 'wx', mode & 0o707)
  try {
    // The umask may have cleared bits.
    fchmodSync(descriptor, isGiven(descriptor, owner) ? mode : mode & 0o707)
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A user other than root can only give a file to groups of their own. */
function isGiven(descriptor: number, owner: Owner | undefined): boolean {
  return succeeds(() => {
    if (owner) fchownSync(descriptor, owner.uid, owner.gid)
  })
}

/** The device number of /dev/null: major 1, minor 3 (devices.txt of the kernel). */
const nullDevice = 0x103

export function isNull(stat: Stats): boolean {
  return stat.isCharacterDevice() && stat.rdev === nullDevice
}
