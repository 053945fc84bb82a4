import { isAbsolute, resolve } from 'node:path'
import { errorCode } from '../base/errno.ts'
import { refuseRequest } from './fields.ts'

/** Throws INVALID_REQUEST when the current directory has been deleted. */
export function currentDirectory(): string {
  try {
    return process.cwd()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return refuseRequest({ kind: 'cwd', path: '.', reason: 'deleted' })
  }
}

export function absolutePath(path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(currentDirectory(), path)
}
