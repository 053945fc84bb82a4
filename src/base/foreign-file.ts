import { isUtf8 } from 'node:buffer'
import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { tried } from './errno.ts'
import { makeDirectories, replaceFile, writeNewFile } from './files.ts'
import { realPath } from './paths.ts'

/** Where symbolic links lead, even if nothing is there yet. The links themselves, which dotfile managers make, stay. */
export function leadsTo(file: string, hops = 40): string {
  const known = realPath(file)
  const link = known === undefined && hops > 0 ? tried(() => readlinkSync(file)) : undefined
  if (link === undefined) return known ?? file
  return leadsTo(resolve(realPath(dirname(file)) ?? dirname(file), link), hops - 1)
}

/** Undefined: there is no such file. Throws for bytes that are not UTF-8, because writing the text would change them. */
export function readText(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return undefined
  // Reading a FIFO would wait.
  if (!stats.isFile()) throw new Error('it is not a regular file')
  const bytes = readFileSync(file)
  if (!isUtf8(bytes)) throw new Error('it is not text in UTF-8')
  return bytes.toString('utf8')
}

export function backUp(file: string): string {
  const backup = `${file}.${new Date().toISOString().replace(/[^0-9TZ]/g, '')}.backup`
  const known = statSync(file)
  writeNewFile(backup, readFileSync(file), known.mode & 0o777, known)
  return backup
}

/** Keeps the file's mode, owner and group as far as it can: a file that sudo gives to root could not be read by its user. */
export function replace(file: string, text: string, mode = 0o600): void {
  makeDirectories(dirname(file), 0o777)
  const known = statSync(file, { throwIfNoEntry: false })
  replaceFile(file, text, (known?.mode ?? mode) & 0o777, known)
}
