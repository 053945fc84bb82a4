import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { compileFixture } from '../../helpers/programs.ts'

export const mebibyte = 1024 * 1024

/** Compiles the program that uses things up; an ordinary user may run it. Returns what a line needs: it is `$H`, and the marker `$M`. */
export function compileHungry(): (marker: string, line: string) => string {
  const program = compileFixture('hungry')
  chmodSync(dirname(program), 0o755)
  return (marker, line) => `H=${program}; M=${marker}; ${line}`
}
