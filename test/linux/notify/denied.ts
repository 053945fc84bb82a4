import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Denial, Result } from '../../../src/base/types.ts'
import type { Shell } from '../../../src/shell.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { compileFixture } from '../../helpers/programs.ts'

/** A directory to be refused in: `file`, a link to it, a directory `sub`. */
export interface Ground {
  readonly cwd: string
  readonly file: string
  readonly shell: Shell
  /** Runs a line there. */
  run(command: string): Promise<Result>
}

export async function makeGround(shellOptions: { network?: boolean } = {}): Promise<Ground> {
  const cwd = makeDirectory()
  const file = join(cwd, 'file')
  writeFileSync(file, 'kept')
  mkdirSync(join(cwd, 'sub'))
  symlinkSync('file', join(cwd, 'link'))
  const shell = await openTestShell({ cwd, mode: 'read', ...shellOptions })
  return { cwd, file, shell, run: (command) => shell.execute({ command }) }
}

/** The program of test/fixtures/processes/attempts.c. */
export function compileAttempts(): string {
  const program = compileFixture('attempts')
  chmodSync(program, 0o755)
  return program
}

/** `operation target`, with the count where it is not 1: what a person would want to know. */
export function short({ operation, path, address, count }: Denial): string {
  const target = path ?? address
  return `${operation}${target === undefined ? '' : ` ${target}`}${count === 1 ? '' : ` x${count}`}`
}

export function shorts({ denials }: Pick<Result, 'denials'>): string[] {
  return denials.map(short)
}
