import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether this user can write to a directory, which is made where it is missing: a HOME may be read-only, as in some containers. */
export function isWritable(directory) {
  try {
    mkdirSync(directory, { recursive: true })
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Whether a path can stand in node-gyp's makefiles, which do not quote: blanks, `$`, `#` and quotes break them. */
export const isPlain = (path) => /^[\w./+@~,-]*$/.test(path)

/** A directory for this process, in a place that makefiles can name; removed at its end. */
export function temporary(prefix) {
  const directory = mkdtempSync(join(isPlain(tmpdir()) ? tmpdir() : '/tmp', prefix))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}
