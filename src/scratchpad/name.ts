import type { RequestProblem } from '../base/refusal.ts'
import { VitrineError } from '../messages/error.ts'

const validName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** Longer than a valid name: a taken one gets a suffix. */
const storedName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/

/** Throws INVALID_REQUEST for a name that could traverse paths or that file systems reject. */
export function checkScratchpadName(name: string): void {
  if (validName.test(name)) return
  const problem: RequestProblem = {
    kind: 'out-of-range',
    field: 'scratchpad',
    wanted: '1 to 64 letters, digits, dots, dashes or underscores, the first a letter or digit',
    got: JSON.stringify(name.slice(0, 200)),
  }
  throw new VitrineError({ code: 'INVALID_REQUEST', problem })
}

export function isStoredName(name: string): boolean {
  return storedName.test(name)
}
