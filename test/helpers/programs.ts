import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { makeDirectory } from './place.ts'
import { isExecutable, isInstalled, readable, repository } from './repository.ts'

export { isExecutable, isInstalled, readable, repository }

/** Compiles test/fixtures/processes/NAME.c and returns the program's path. */
export function compileFixture(name: string): string {
  const program = join(makeDirectory(), name)
  const source = join(repository, 'test/fixtures/processes', `${name}.c`)
  execFileSync('cc', ['-std=gnu11', '-O1', '-Wall', '-Wextra', '-Werror', '-pthread', source, '-o', program])
  return program
}

/** The library as test/setup.ts built it, for tests that need a host of their own. */
export const builtLibrary = join(readable, 'dist/index.js')
