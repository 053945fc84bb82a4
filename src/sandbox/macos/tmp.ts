import { mkdtempSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorReason } from '../../base/errno.ts'
import { unavailable } from '../../messages/error.ts'
import { cannotConfine } from '../../messages/platform.ts'
import { privateTmpNotMade } from '../../messages/private-tmp.ts'
import type { PrivateDirectories } from '../sandbox.ts'

/** mkdtemp(3): only their owner can enter; the command's profile allows writing there. */
export const macosPrivateDirectories: PrivateDirectories = {
  make(temporary) {
    const path = makeIn(temporary)
    return {
      path,
      async remove() {
        try {
          await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 })
          return undefined
        } catch (error) {
          return errorReason(error)
        }
      },
    }
  },
  grant(confinement, directory) {
    if (confinement.kind !== 'seatbelt') throw new Error(cannotConfine('private tmp', confinement.kind))
    return confinement.writing(directory)
  },
}

function makeIn(temporary: string): string {
  try {
    return mkdtempSync(join(realpathSync(temporary), 'vitrine-'))
  } catch (error) {
    throw unavailable(privateTmpNotMade(temporary, errorReason(error)))
  }
}
