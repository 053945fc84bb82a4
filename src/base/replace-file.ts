import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { succeeds } from './errno.ts'

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
