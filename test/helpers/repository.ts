import { spawnSync } from 'node:child_process'
import { accessSync, constants, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

/** What tests run of the repository, where every user can read it: test/setup.ts copies it when root's is private. */
export const readable = process.env['VITRINE_TEST_COPY'] ?? repository

/** Whether a program is on the PATH, and more than rustup's proxy for one that this user does not have. */
export function isInstalled(program: string): boolean {
  const paths = (process.env['PATH'] ?? '').split(':').map((directory) => join(directory, program))
  const path = paths.find(isExecutable)
  if (path === undefined || basename(realpathSync(path)) !== 'rustup') return path !== undefined
  return spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0
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
