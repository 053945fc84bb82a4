import { constants } from 'node:os'
import { kindOf, refuseRequest } from './fields.ts'

/** Throws INVALID_REQUEST unless the value is the name of a signal on this system. */
export function checkSignal(signal: unknown): void {
  if (typeof signal === 'string' && Object.hasOwn(constants.signals, signal)) return
  refuseRequest({
    kind: 'out-of-range',
    field: 'signal',
    wanted: 'the name of a signal',
    got: kindOf(signal),
  })
}
