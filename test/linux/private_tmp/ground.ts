import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from '../../../src/base/types.ts'
import type { Shell } from '../../../src/shell.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../../helpers/place.ts'

export const uid = process.geteuid?.() ?? 0

/** A shell with private directories beneath a temporary directory of its own. */
export interface Ground {
  readonly temporary: string
  /** Where the private directories are made. */
  readonly parent: string
  readonly shell: Shell
  run(command: string): Promise<Result>
  /** The private directories that are there now. */
  left(): string[]
}

export async function makeGround(
  options: TestShellOptions = {},
  temporary = makeDirectory(),
): Promise<Ground> {
  const shell = await openTestShell({
    mode: 'read',
    privateTmp: true,
    ...options,
    env: { ...options.env, TMPDIR: temporary },
  })
  const parent = join(temporary, `vitrine-${uid}`)
  return {
    temporary,
    parent,
    shell,
    run: (command) => shell.execute({ command, timeoutMs: 120_000 }),
    left: () => (existsSync(parent) ? readdirSync(parent) : []),
  }
}
