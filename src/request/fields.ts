import { type RequestProblem, VitrineError } from '../errors.ts'

/** What a field of a caller's object has to be. */
export interface Field {
  readonly wanted: string
  readonly test: (value: unknown) => boolean
}

export const isString = (value: unknown): value is string => typeof value === 'string'
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Throws INVALID_REQUEST for what is no object, a name that is no field, or a value of the wrong kind. */
export function checkFields(what: string, value: unknown, fields: Readonly<Record<string, Field>>): void {
  if (!isObject(value)) refuse({ kind: 'wrong-type', field: what, wanted: 'an object', got: kindOf(value) })
  for (const [name, given] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field) refuse({ kind: 'unknown-option', field: name, ...nearest(name, Object.keys(fields)) })
    if (given !== undefined && !field.test(given))
      refuse({ kind: 'wrong-type', field: name, wanted: field.wanted, got: kindOf(given) })
  }
}

export function refuse(problem: RequestProblem): never {
  throw new VitrineError({ code: 'INVALID_REQUEST', problem })
}

/** `timeout_ms` for `timeoutMs`, `modes` for `mode`: the same letters at the beginning. */
function nearest(name: string, names: readonly string[]): { nearest?: string } {
  const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '')
  const begin = letters(name).slice(0, 4)
  const found = begin === '' ? undefined : names.find((known) => letters(known).startsWith(begin))
  return found === undefined ? {} : { nearest: found }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (isString(value)) return JSON.stringify(value)
  return Array.isArray(value) ? 'an array' : typeof value
}
