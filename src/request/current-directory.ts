import { isAbsolute, resolve } from 'node:path'
import { errorCode } from '../base/errno.ts'
import { VitrineError } from '../messages/error.ts'

/** The current directory of this process. Throws INVALID_REQUEST when it has been deleted. */
export function currentDirectory(): string {
  try {
    return process.cwd()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw new VitrineError({
      code: 'INVALID_REQUEST',
      problem: { kind: 'cwd', path: '.', reason: 'deleted' },
    })
  }
}

/** Resolves a path from the current directory. Throws as `currentDirectory` does. */
export function absolutePath(path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(currentDirectory(), path)
}
