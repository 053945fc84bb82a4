import { renameSync } from 'node:fs'
import { errorCode } from '../base/errno.ts'
import { keptFiles } from '../config/files.ts'

/** Renames from the oldest, so that a crash leaves only a gap and only the oldest file is overwritten. */
export function rotate(path: string): void {
  for (let number = keptFiles - 1; number >= 0; number--) {
    const from = number === 0 ? path : `${path}.${number}`
    try {
      renameSync(from, `${path}.${number + 1}`)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
}
