import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { isNull } from '../../base/files.ts'
import { isHarmlessInput, type Mode } from '../../internal.ts'
import { directoryAsInput } from '../../messages/cli/run.ts'
import { misuse } from '../options.ts'
import { isTerminal } from '../terminal.ts'

/**
 * What a command may read of our stdin; undefined: nothing. A confined command gets the descriptor itself only if
 * nothing can be changed through it; vitrine reads anything else itself and passes the bytes on. Throws INVALID_REQUEST
 * for a directory, which has no bytes.
 */
export function standardInput(mode: Mode): number | Readable | undefined {
  const stat = fstatSync(0)
  if (isNull(stat) || isTerminal(0)) return undefined
  if (mode === 'write' || isHarmlessInput(0)) return 0
  if (stat.isDirectory()) throw misuse(directoryAsInput)
  return process.stdin
}
