import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Replaces a file: readers see the old text or the new one, and a crash leaves one of them (rename(2)). */
export function replaceFile(file: string, text: string, mode: number): void {
  const unfinished = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    writeSynced(unfinished, text, mode)
    renameSync(unfinished, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function writeSynced(file: string, text: string, mode: number): void {
  const descriptor = openSync(file, 'wx', mode)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
