import { constants } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { types } from 'node:util'
import * as v from 'valibot'
import { nearestKey } from '../base/did-you-mean.ts'
import { errorCode } from '../base/errno.ts'
import type { RequestProblem } from '../base/refusal.ts'
import type { Environment } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'

export const isString = (value: unknown): value is string => typeof value === 'string'
export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
export const isFunction = (value: unknown): value is () => unknown => typeof value === 'function'

/** The kernel's limit on one argument, including its NUL: MAX_ARG_STRLEN, linux/binfmts.h. */
const maxArgumentBytes = 32 * 4096

const text = v.pipe(
  v.string('a string'),
  v.check((given) => !given.includes('\0'), 'nul-byte'),
)

const argument = v.pipe(
  text,
  v.check((given) => Buffer.byteLength(given) < maxArgumentBytes, 'too-long'),
)

function variables(name: v.GenericSchema<string>) {
  return v.pipe(
    // Of a Map or a list nothing would be read.
    v.custom<Environment>(isVariables, 'an object of variables'),
    v.record(name, v.optional(text)),
  )
}

/**
 * Schemas of fields. The message of each says what the field must be; for what neither arguments nor paths can hold it is the kind of
 * the problem.
 */
export const fieldOf = {
  string: text,
  boolean: v.boolean('a boolean'),
  milliseconds: v.pipe(v.number('a number of milliseconds'), v.gtValue(0, 'milliseconds above 0')),
  argument,
  arguments: v.array(argument, 'an array of strings'),
  signal: v.custom<AbortSignal>(isSignal, 'an AbortSignal'),
  variables: variables(v.string()),
  /** Of one command. */
  newVariables: variables(v.pipe(v.string(), v.regex(/^[^=\0]+$/, 'names without "="'))),
}

export function functionField<T extends (...given: never[]) => unknown>() {
  return v.custom<T>(isFunction, 'a function')
}

export function oneOf<const T extends readonly string[]>(...words: T) {
  return v.picklist(words, alternatives(words.map((word) => JSON.stringify(word))))
}

export function integer(least: number, most: number) {
  const said = `an integer from ${least} to ${most}`
  return v.pipe(v.number(said), v.integer(said), v.minValue(least, said), v.maxValue(most, said))
}

export function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}

function isSignal(value: unknown): boolean {
  return (
    hasFields(value, 'aborted') &&
    hasMethods(value, 'throwIfAborted', 'addEventListener', 'removeEventListener')
  )
}

function isVariables(value: unknown): boolean {
  return isObject(value) && !isFunction(Reflect.get(value, Symbol.iterator))
}

/** An object of another realm or library, known by some of its fields. */
export function hasFields(value: unknown, ...names: readonly string[]): value is object {
  return isObject(value) && names.every((name) => name in value)
}

/** An object of another realm or library, known by some of its methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  return isObject(value) && names.every((name) => isFunction(Reflect.get(value, name)))
}

const anObject = 'an object'

/**
 * A checked copy of a caller's object. Throws INVALID_REQUEST for a value that is no object, an unknown field, and a field of the
 * wrong type.
 */
export function readFields<E extends v.ObjectEntries>(
  what: string,
  value: unknown,
  schema: v.StrictObjectSchema<E, undefined>,
): v.InferOutput<v.StrictObjectSchema<E, undefined>> {
  if (Array.isArray(value)) refuseType(what, anObject, kindOf(value))
  const { success, output, issues } = v.safeParse(schema, value, { abortEarly: true })
  return success ? output : refuseIssue(what, issues[0], schema.entries)
}

function refuseIssue(
  what: string,
  { path, expected, kind, type, message, input }: v.BaseIssue<unknown>,
  entries: v.ObjectEntries,
): never {
  if (path === undefined) refuseType(what, anObject, kindOf(input))
  const field = nameOf(path)
  if (expected === 'never') refuseStranger(field, Object.keys(entries))
  if (message === 'nul-byte') refuseRequest({ kind: message, field })
  if (message === 'too-long')
    refuseRequest({
      kind: message,
      field,
      bytes: Buffer.byteLength(String(input)),
      limit: maxArgumentBytes - 1,
    })
  const got = typeof input === 'number' ? String(input) : kindOf(input)
  if (kind === 'validation') refuseValue(field, message, got)
  // A field that is missing has the message of its object.
  const said = type === 'strict_object' ? Reflect.get(entries[field] ?? {}, 'message') : message
  return refuseType(field, String(said), got)
}

/** `argv[2]`, `env.PATH`, and `env` for a name in it. */
function nameOf(path: readonly v.IssuePathItem[]): string {
  return path.reduce((name, { type, origin, key }) => {
    if (name === '') return String(key)
    if (origin === 'key') return name
    return type === 'array' ? `${name}[${key}]` : `${name}.${key}`
  }, '')
}

function refuseStranger(field: string, names: readonly string[]): never {
  const nearest = nearestKey(field, names)
  return refuseRequest({ kind: 'unknown-option', field, ...(nearest !== undefined && { nearest }) })
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

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (!isString(value)) return types.isMap(value) ? 'Map' : typeof value
  return `${JSON.stringify(value.slice(0, maxShown))}${value.length > maxShown ? '...' : ''}`
}

const maxShown = 100

/** Throws INVALID_REQUEST unless the value is the name of a signal on this system. */
export function checkSignal(signal: unknown): void {
  if (typeof signal === 'string' && Object.hasOwn(constants.signals, signal)) return
  refuseValue('signal', 'the name of a signal', kindOf(signal))
}

/** Throws INVALID_REQUEST when the current directory has been deleted. */
export function currentDirectory(): string {
  try {
    return process.cwd()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return refuseRequest({ kind: 'cwd', path: '.', reason: 'deleted' })
  }
}

export function absolutePath(path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(currentDirectory(), path)
}
