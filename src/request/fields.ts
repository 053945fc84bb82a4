import { types } from 'node:util'
import { nearestKey } from '../base/did-you-mean.ts'
import { errorMessage, tried } from '../base/errno.ts'
import type { RequestProblem } from '../base/refusal.ts'
import type { Environment } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import { found, wanted } from '../messages/wanted.ts'

export interface FieldRule {
  readonly wanted: string
  readonly test: (value: unknown) => boolean
}

/** Where options belong that are not fields of this object. */
export type Places = Readonly<Record<string, string>>

/** The same place for several of them. */
export function placesOf(names: readonly string[], place: (name: string) => string): Places {
  return Object.fromEntries(names.map((name) => [name, place(name)]))
}

export type FieldRules<T> = Readonly<Record<keyof T & string, FieldRule>>

export const isString = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const isNumber = (value: unknown): value is number => typeof value === 'number'
export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
/** Array.isArray throws for a revoked proxy. */
export const isArray = (value: unknown): value is unknown[] => tried(() => Array.isArray(value)) === true
export const isFunction = (value: unknown): value is () => unknown => typeof value === 'function'

/** Rules that several tables of fields share. */
export const fieldOf = {
  string: { wanted: wanted.string, test: isString },
  boolean: { wanted: wanted.boolean, test: isBoolean },
  function: { wanted: wanted.function, test: isFunction },
  milliseconds: { wanted: wanted.milliseconds, test: isNumber },
  arguments: {
    wanted: wanted.arguments,
    test: (value: unknown) => isArray(value) && value.every(isString),
  },
  signal: {
    wanted: wanted.abortSignal,
    test: (value: unknown) =>
      hasFields(value, 'aborted') &&
      hasMethods(value, 'throwIfAborted', 'addEventListener', 'removeEventListener'),
  },
  // Of a Map or a list nothing would be read.
  variables: {
    wanted: wanted.variables,
    test: (value: unknown) => isObject(value) && !isFunction(Reflect.get(value, Symbol.iterator)),
  },
} satisfies Record<string, FieldRule>

export function fieldOneOf(...words: readonly string[]): FieldRule {
  return { wanted: wanted.oneOf(words), test: (value) => words.some((word) => word === value) }
}

/** An object of another realm or library, known by some of its fields. */
export function hasFields(value: unknown, ...names: readonly string[]): value is object {
  return isObject(value) && names.every((name) => name in value)
}

/** An object of another realm or library, known by some of its methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  return isObject(value) && names.every((name) => isFunction(Reflect.get(value, name)))
}

/**
 * Copies a caller's object and reads each field once, so that the checked value is the value used. Inherited
 * fields of a class count; fields that were added to Object.prototype do not. Throws INVALID_REQUEST for a
 * value that is no object, an unknown field (with where it belongs), a field of the wrong type, and a field that throws when it is
 * read.
 */
export function readFields<T extends object>(
  what: string,
  value: T,
  fields: FieldRules<T>,
  places: Places = {},
): T {
  if (!isObject(value) || isArray(value))
    refuseType(
      what,
      wanted.object,
      reading(what, () => kindOf(value)),
    )
  const names = Object.keys(fields) as (keyof T & string)[]
  const stranger = reading(what, () => Object.keys(value)).find((name) => !Object.hasOwn(fields, name))
  if (stranger !== undefined) refuseStranger(stranger, names, places)
  // Absent ones, too: an own `undefined` hides what Object.prototype has.
  const checked: unknown = Object.fromEntries(
    names.map((name) => [name, readField(value, name, fields[name])]),
  )
  // Every field has been checked.
  return checked as T
}

function refuseStranger(field: string, names: readonly string[], places: Places): never {
  const place = Object.hasOwn(places, field) ? places[field] : undefined
  return refuseRequest({ kind: 'unknown-option', field, ...(place ? { place } : nearest(field, names)) })
}

function readField(value: object, name: string, field: FieldRule): unknown {
  const given = reading(name, () => {
    if (name in Object.prototype && !Object.hasOwn(value, name)) return undefined
    const read: unknown = Reflect.get(value, name)
    return isArray(read) ? [...read] : read
  })
  if (given === undefined || reading(name, () => field.test(given))) return given
  return refuseType(name, field.wanted, isNumber(given) ? String(given) : kindOf(given))
}

/** Throws INVALID_REQUEST when reading the object throws. */
export function copyOf<T extends object>(what: string, value: T): T {
  return reading(what, () => ({ ...value }))
}

/** Throws INVALID_REQUEST for values that no environment can hold. */
export function readVariablesField(field: string, given: Environment): Environment {
  const variables = copyOf(field, given)
  for (const [name, value] of Object.entries<unknown>(variables)) {
    const own = `${field}.${name}`
    if (value !== undefined && !isString(value)) refuseType(own, wanted.string, kindOf(value))
    checkNoNul(own, value)
  }
  return variables
}

/** Throws INVALID_REQUEST for a NUL byte, which neither arguments nor paths can hold. */
export function checkNoNul(field: string, text: string | undefined): void {
  if (text?.includes('\0')) refuseRequest({ kind: 'nul-byte', field })
}

export function refuseValue(field: string, said: string, got: string): never {
  return refuseRequest({ kind: 'out-of-range', field, wanted: said, got })
}

export function refuseType(field: string, said: string, got: string): never {
  return refuseRequest({ kind: 'wrong-type', field, wanted: said, got })
}

export function refuseRequest(problem: RequestProblem): never {
  throw new VitrineError({ code: 'INVALID_REQUEST', problem })
}

/** The caller's getters and proxies may throw anything. */
function reading<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return refuseRequest({ kind: 'unreadable', field, reason: errorMessage(error) ?? kindOf(error) })
  }
}

/** `command` for `comand`, `timeoutMs` for `time`: few typos, or the same first letters. */
function nearest(name: string, names: readonly string[]): { nearest?: string } {
  const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '')
  const begin = letters(name.slice(0, 100)).slice(0, 4)
  const beginsSo = (known: string) => begin !== '' && letters(known).startsWith(begin)
  const known = nearestKey(name, names) ?? names.find(beginsSo)
  return known === undefined ? {} : { nearest: known }
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (isString(value))
    return `${JSON.stringify(value.slice(0, maxShown))}${value.length > maxShown ? '...' : ''}`
  if (!isArray(value)) return types.isMap(value) ? 'Map' : typeof value
  const items = value.slice(0, maxItems).map((item) => (isArray(item) ? found.array : kindOf(item)))
  return `[${[...items, ...(value.length > maxItems ? ['...'] : [])].join(', ')}]`
}

const maxShown = 100
const maxItems = 8
