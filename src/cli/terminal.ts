import { fstatSync } from 'node:fs'
import { isNull } from '../base/files.ts'

/** Only a character device can be a terminal: for others node:tty is not loaded. */
export function isTerminal(fd: number): boolean {
  const stat = fstatSync(fd)
  if (!stat.isCharacterDevice() || isNull(stat)) return false
  return process.getBuiltinModule('node:tty').isatty(fd)
}

/** Moves to the first column and erases the line: ECMA-48, EL. */
export const eraseLine = '\r\u001b[K'
