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

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Replaces a file: readers see the old text or the new one, and a crash leaves one of them (rename(2)). */
export function replaceFile(file: string, text: string, mode: number, owner?: Owner): void {
  const unfinished = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    writeSynced(unfinished, text, mode, owner)
    renameSync(unfinished, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function writeSynced(file: string, text: string, mode: number, owner: Owner | undefined): void {
  const descriptor = openSync(file, 'wx', mode)
  try {
    if (owner) fchownSync(descriptor, owner.uid, owner.gid)
    // The umask may have cleared bits.
    fchmodSync(descriptor, mode)
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
