import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

/** What tests run of the repository, where every user can read it: test/setup.ts copies it when root's is private. */
export const readable = process.env['VITRINE_TEST_COPY'] ?? repository

/** Whether a program is on the PATH. */
export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((directory) => isExecutable(join(directory, program)))
}

/** Whether it is there, and ours to execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
