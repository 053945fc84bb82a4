import { renameSync } from 'node:fs'
import { errorCode } from '../errno.ts'

/** Older files are kept as `PATH.1` (the newest of them) to `PATH.9`. */
export const keptFiles = 9

/** From the oldest on, so that a crash in between leaves a gap, and no file is written over but the oldest. */
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
