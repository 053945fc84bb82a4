import { renameSync } from 'node:fs'
import { errorCode } from '../base/errno.ts'
import { keptFiles } from '../config/audit-files.ts'

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
