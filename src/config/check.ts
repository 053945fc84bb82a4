import { dirname } from 'node:path'
import { types } from 'node:util'
import type { TomlError } from 'smol-toml'
import * as v from 'valibot'
import { nearestKey } from '../base/did-you-mean.ts'
import type { ConfigProblem } from '../base/refusal.ts'
import { clipped } from '../base/text.ts'
import { VitrineError } from '../messages/error.ts'
import { policyRuleKeys, stringTableWanted, type ToAbsolute } from './field.ts'
import { absoluteFrom } from './files.ts'
import { type KeyEntry, keyEntries, sectionNames } from './schema.ts'
import { excerptOf, type KeyPath, positionFinder, printable, type TextPosition, tomlText } from './toml.ts'

export interface ConfigFile {
  readonly file: string
  readonly text: string
  /** A project may contain a link to a file that only the user can read: errors quote no line of it. */
  readonly isLink?: boolean
}

export interface FileValue {
  readonly entry: KeyEntry
  readonly value: unknown
}

type Table = Readonly<Record<string, unknown>>

/** Reads the values of a config file; relative paths start at its directory. Throws CONFIG_INVALID. */
export async function readLayer(source: ConfigFile, home: string): Promise<readonly FileValue[]> {
  const values: FileValue[] = []
  for (const checked of valuesOf(await parseToml(source), absoluteFrom(dirname(source.file), home))) {
    if ('problem' in checked) throw await faultyFile(source, checked)
    values.push(checked)
  }
  return values
}

// smol-toml is imported late: it costs start-up time, and most starts have no config file.
export async function parseToml(source: ConfigFile): Promise<Table> {
  const { parse } = await import('smol-toml')
  try {
    return parse(source.text)
  } catch (error) {
    if (!('codeblock' in Object(error))) throw error
    const { message, line, column } = error as TomlError
    const detail = printable(message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    throw errorIn(source, { problem: { kind: 'syntax', detail } }, { line, column, end: column + 1 })
  }
}

interface Fault {
  readonly path: KeyPath
  readonly problem: ConfigProblem
}

/** The error for a wrong value, with its place in the file. */
export async function faultyFile(source: ConfigFile, { path, problem }: Fault): Promise<VitrineError> {
  const locate = await positionFinder(source.text)
  const place = locate(path, problem.kind === 'unknown-key' ? 'name' : 'value')
  return errorIn(source, { key: dottedPath(path), problem }, place)
}

function errorIn(
  { file, text, isLink }: ConfigFile,
  what: { readonly key?: string; readonly problem: ConfigProblem },
  place: TextPosition | undefined,
): VitrineError {
  const excerpt = place && !isLink && { excerpt: excerptOf(text, place) }
  const where = place && { line: place.line, column: place.column, ...excerpt }
  return new VitrineError({ code: 'CONFIG_INVALID', file, ...what, ...where })
}

function* valuesOf(document: Table, toAbsolute: ToAbsolute): Generator<FileValue | Fault> {
  for (const [section, table] of Object.entries(document)) {
    const isSection = sectionNames.some((known) => known === section)
    if (!isSection) yield unknownKey([section], [...sectionNames, ...keyEntries.keys()])
    else if (isTable(table)) yield* valuesOfSection(section, table, toAbsolute)
    else yield wrongType([section], 'a table', table)
  }
}

function* valuesOfSection(section: string, table: Table, toAbsolute: ToAbsolute) {
  for (const [name, raw] of Object.entries(table)) {
    const entry = keyEntries.get(`${section}.${name}`)
    yield entry ? checkValue(entry, raw, toAbsolute) : unknownKey([section, name], keyEntries.keys())
  }
}

/** Validates the value of one key and makes its paths absolute. */
export function checkValue(entry: KeyEntry, raw: unknown, toAbsolute: ToAbsolute): FileValue | Fault {
  const schema = entry.schema()
  const path = [entry.section, entry.name]
  // valibot accepts a list as a table whose names are numbers.
  if (schema.type === 'record' && !isTable(raw)) return wrongType(path, stringTableWanted, raw)
  const parsed = v.safeParse(schema, raw, { abortEarly: true })
  if (!parsed.success) return faultOf(path, parsed.issues[0])
  const lost = lostName(raw, parsed.output)
  if (lost !== undefined)
    return badValue([...path, lost], 'a name other than __proto__, prototype and constructor', lost)
  return { entry, value: entry.resolve?.(parsed.output, toAbsolute) ?? parsed.output }
}

// valibot's record() silently drops __proto__, prototype and constructor.
function lostName(raw: unknown, output: unknown): string | undefined {
  if (!isTable(raw)) return undefined
  return Object.keys(raw).find((name) => !Object.hasOwn(Object(output), name))
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !types.isDate(value)
}

function faultOf(at: KeyPath, issue: v.BaseIssue<unknown>): Fault {
  // A value that may be a boolean or a list is a list with a wrong entry.
  const inList = issue.issues?.find(({ path }) => path)
  if (inList) return faultOf(at, inList)
  const path = [...at, ...(issue.path ?? []).map((step) => step.key as string | number)]
  const isOfType =
    issue.kind === 'validation' || (issue.type === 'picklist' && typeof issue.input === 'string')
  if (isOfType) return badValue(path, issue.message, issue.input)
  // valibot reports an unknown entry of a table as expected `never`, and a missing one as received `undefined`.
  if (issue.type !== 'strict_object' || (issue.expected !== 'never' && issue.received !== 'undefined'))
    return wrongType(path, issue.message, issue.input)
  if (issue.expected === 'never') return unknownKey(path, policyRuleKeys(), String(path.at(-1)))
  const got = `a table without ${path.at(-1)}`
  return { path: path.slice(0, -1), problem: { kind: 'wrong-type', wanted: issue.message, got } }
}

function unknownKey(path: KeyPath, candidates: Iterable<string>, name = dottedPath(path)): Fault {
  const nearest = nearestKey(name, candidates)
  return { path, problem: { kind: 'unknown-key', ...(nearest === undefined ? {} : { nearest }) } }
}

function wrongType(path: KeyPath, said: string, value: unknown): Fault {
  return { path, problem: { kind: 'wrong-type', wanted: said, got: describeValue(value) } }
}

function badValue(path: KeyPath, said: string, value: unknown): Fault {
  return { path, problem: { kind: 'bad-value', wanted: said, got: describeValue(value) } }
}

const maxQuoteLength = 60

/** `['policy', 'rule', 0, 'prefix']` as `policy.rule[0].prefix`. */
function dottedPath(path: KeyPath): string {
  const parts = path.map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${clipped(part, maxQuoteLength)}`,
  )
  return parts.join('').slice(1)
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return `the string ${clipped(tomlText(value), maxQuoteLength)}`
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`
  if (Array.isArray(value)) return 'a list'
  if (types.isDate(value)) return 'a date'
  return isTable(value) ? 'a table' : String(value)
}
