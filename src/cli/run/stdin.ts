import type { Readable } from 'node:stream'
import { isHarmlessInput, type Mode } from '../../internal.ts'
import { isNull, isTerminal } from '../terminal.ts'

/**
 * What a command may read from our standard input; undefined: nothing.
 * In read mode the descriptor itself is passed only when nothing can be changed through it; anything else (a pipe, a
 * socket, a file that is open for writing) is read here, and its bytes are passed on.
 */
export function standardInput(mode: Mode): number | Readable | undefined {
  if (isNull(0) || isTerminal(0)) return undefined
  return mode === 'write' || isHarmlessInput(0) ? 0 : process.stdin
}
