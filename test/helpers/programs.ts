import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDirectory } from './place.ts'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Compiles test/fixtures/processes/NAME.c and returns the program's path. */
export function compileFixture(name: string): string {
  const program = join(makeDirectory(), name)
  const source = join(repository, 'test/fixtures/processes', `${name}.c`)
  execFileSync('cc', ['-std=gnu11', '-O1', '-Wall', '-Wextra', '-Werror', '-pthread', source, '-o', program])
  return program
}

/** The built library's path, for tests that need a host of their own; builds it where it is older than its sources. */
export function builtLibrary(): string {
  execFileSync(process.execPath, [join(repository, 'scripts/build-ts.mjs')], { stdio: 'ignore' })
  return join(repository, 'dist/index.js')
}

/** Whether another user can reach this checkout; asked as root. */
export function isReachableAs(uid: number): boolean {
  const look = `require('fs').accessSync(${JSON.stringify(builtLibrary())})`
  return spawnSync(process.execPath, ['-e', look], { uid, cwd: '/' }).status === 0
}

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
