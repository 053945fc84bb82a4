import { wanted } from '../messages/wanted.ts'
import { isString, kindOf, refuseValue } from '../request/fields.ts'

const validName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** Longer than a valid name: a taken one gets a suffix. */
const storedName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/

/** Throws INVALID_REQUEST for a name that could traverse paths or that file systems reject. */
export function checkScratchpadName(name: unknown): void {
  if (isString(name) && validName.test(name)) return
  refuseValue('scratchpad', wanted.scratchpadName, kindOf(name))
}

export function isStoredName(name: unknown): boolean {
  return isString(name) && storedName.test(name)
}
