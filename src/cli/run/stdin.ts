import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { isNull } from '../../base/null-device.ts'
import { isHarmlessInput, type Mode } from '../../internal.ts'
import { isTerminal } from '../terminal.ts'

/**
 * What a command may read of our stdin; undefined: nothing. A confined command gets the descriptor itself only if
 * nothing can be changed through it; vitrine reads anything else itself and passes the bytes on.
 */
export function standardInput(mode: Mode): number | Readable | undefined {
  if (isNull(fstatSync(0)) || isTerminal(0)) return undefined
  return mode === 'write' || isHarmlessInput(0) ? 0 : process.stdin
}
