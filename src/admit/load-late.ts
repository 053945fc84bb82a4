import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { errorCode } from '../base/errno.ts'

/** More than the files of one such module, which are opened at once: eleven. */
const neededDescriptors = 16

/**
 * Imports a module that few commands need. Throws EMFILE or ENFILE before the import where too few descriptors are free: Node 20
 * remembers a failed import, and never loads the module again.
 */
export async function loadLate<Module>(load: () => Promise<Module>): Promise<Module> {
  const open: number[] = []
  try {
    while (open.length < neededDescriptors) open.push(openSync(devNull, 'r'))
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EMFILE' || code === 'ENFILE') throw error
  } finally {
    for (const fd of open) closeSync(fd)
  }
  return load()
}
