import { constants } from 'node:os'
import { wanted } from '../messages/wanted.ts'
import { kindOf, refuseValue } from './fields.ts'

/** Throws INVALID_REQUEST unless the value is the name of a signal on this system. */
export function checkSignal(signal: unknown): void {
  if (typeof signal === 'string' && Object.hasOwn(constants.signals, signal)) return
  refuseValue('signal', wanted.signal, kindOf(signal))
}
