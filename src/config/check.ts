import { dirname } from 'node:path'
import { types } from 'node:util'
import * as v from 'valibot'
import { nearestKey } from '../base/did-you-mean.ts'
import type { ConfigProblem } from '../base/refusal.ts'
import { clipped } from '../base/text.ts'
import { VitrineError } from '../messages/error.ts'
import { found, wanted } from '../messages/wanted.ts'
import { policyRuleKeys, type ToAbsolute } from './field.ts'
import { absoluteFrom } from './files.ts'
import { type KeyEntry, keyEntries, type SectionName, sectionNames } from './schema.ts'
import { excerptOf, type KeyPath, positionFinder, tomlText } from './toml.ts'

interface ValueFault {
  readonly path: KeyPath
  readonly problem: ConfigProblem
}

type CheckedValue = { readonly value: unknown } | { readonly fault: ValueFault }

const maxQuoteLength = 60

/** Validates the value of one key and makes its paths absolute. */
export function checkValue(entry: KeyEntry, raw: unknown, toAbsolute: ToAbsolute): CheckedValue {
  const schema = entry.schema()
  // valibot accepts a list as a table whose names are numbers.
  if (schema.type === 'record' && !isTable(raw)) {
    return { fault: notATable([entry.section, entry.name], raw, wanted.stringTable) }
  }
  const parsed = v.safeParse(schema, raw, { abortEarly: true })
  if (!parsed.success) return { fault: faultOf(entry, parsed.issues[0]) }
  const lost = lostName(raw, parsed.output)
  if (lost !== undefined) return { fault: lostFault(entry, lost) }
  return { value: entry.resolve ? entry.resolve(parsed.output, toAbsolute) : parsed.output }
}

// valibot's record() silently drops __proto__, prototype and constructor.
function lostName(raw: unknown, output: unknown): string | undefined {
  if (!isTable(raw)) return undefined
  return Object.keys(raw).find((name) => !Object.hasOwn(Object(output), name))
}

function lostFault({ section, name }: KeyEntry, lost: string): ValueFault {
  const problem = {
    kind: 'bad-value',
    wanted: 'a name other than __proto__, prototype and constructor',
    got: describeValue(lost),
  } as const
  return { path: [section, name, lost], problem }
}

type Table = Readonly<Record<string, unknown>>

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !types.isDate(value)
}

function notATable(path: KeyPath, value: unknown, said: string = 'a table'): ValueFault {
  return { path, problem: { kind: 'wrong-type', wanted: said, got: describeValue(value) } }
}

/** `['policy', 'rule', 0, 'prefix']` as `policy.rule[0].prefix`. */
function dottedPath(path: KeyPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? clipped(part, maxQuoteLength) : `${text}.${clipped(part, maxQuoteLength)}`
  }, '')
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return found.string(clipped(tomlText(value), maxQuoteLength))
  if (typeof value === 'number' || typeof value === 'bigint') return found.number(value)
  if (Array.isArray(value)) return 'a list'
  if (types.isDate(value)) return 'a date'
  if (typeof value === 'object' && value !== null) return 'a table'
  return String(value)
}

function faultOf(entry: KeyEntry, issue: v.BaseIssue<unknown>): ValueFault {
  // A value that may be a boolean or a list is a list with a wrong entry.
  const inList = issue.issues?.find(({ path }) => path)
  if (inList) return faultOf(entry, inList)
  const inside = (issue.path ?? []).map((step) => step.key as string | number)
  const path = [entry.section, entry.name, ...inside]
  if (issue.type === 'strict_object') return tableFault(path, issue)
  const kind = isOfWantedType(issue) ? 'bad-value' : 'wrong-type'
  return { path, problem: { kind, wanted: issue.message, got: describeValue(issue.input) } }
}

function isOfWantedType(issue: v.BaseIssue<unknown>): boolean {
  return issue.kind === 'validation' || (issue.type === 'picklist' && typeof issue.input === 'string')
}

// valibot reports an unknown entry as expected `never`, and a missing one as received `undefined`.
function tableFault(path: KeyPath, issue: v.BaseIssue<unknown>): ValueFault {
  const name = String(path.at(-1))
  if (issue.expected === 'never') {
    const nearest = nearestKey(name, policyRuleKeys())
    return { path, problem: { kind: 'unknown-key', ...(nearest === undefined ? {} : { nearest }) } }
  }
  if (issue.received !== 'undefined') {
    return { path, problem: { kind: 'wrong-type', wanted: issue.message, got: describeValue(issue.input) } }
  }
  return {
    path: path.slice(0, -1),
    problem: { kind: 'wrong-type', wanted: issue.message, got: found.tableWithout(name) },
  }
}

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

type Found = { readonly values: readonly FileValue[] } | { readonly fault: ValueFault }

/** Validates a config file; relative paths start at its directory. Throws CONFIG_INVALID. */
export async function readLayer(
  source: ConfigFile,
  document: Table,
  home: string,
): Promise<readonly FileValue[]> {
  const found = valuesOf(document, absoluteFrom(dirname(source.file), home))
  if ('values' in found) return found.values
  throw await faultyFile(source, found.fault)
}

/** The error for a wrong value, with its place in the file. */
export async function faultyFile(
  { file, text, isLink }: ConfigFile,
  { path, problem }: ValueFault,
): Promise<VitrineError> {
  const locate = await positionFinder(text)
  const place = locate(path, problem.kind === 'unknown-key' ? 'name' : 'value')
  const where = place && {
    line: place.line,
    column: place.column,
    ...(!isLink && { excerpt: excerptOf(text, place) }),
  }
  return new VitrineError({ code: 'CONFIG_INVALID', file, key: dottedPath(path), problem, ...where })
}

function valuesOf(document: Table, toAbsolute: ToAbsolute): Found {
  const values: FileValue[] = []
  for (const [name, table] of Object.entries(document)) {
    const found = isSection(name)
      ? valuesOfSection(name, table, toAbsolute)
      : { fault: unknownKey([name], [...sectionNames, ...keyEntries.keys()]) }
    if ('fault' in found) return found
    values.push(...found.values)
  }
  return { values }
}

function valuesOfSection(section: SectionName, table: unknown, toAbsolute: ToAbsolute): Found {
  if (!isTable(table)) return { fault: notATable([section], table) }
  const values: FileValue[] = []
  for (const [name, raw] of Object.entries(table)) {
    const entry = keyEntries.get(`${section}.${name}`)
    if (!entry) return { fault: unknownKey([section, name], keyEntries.keys()) }
    const checked = checkValue(entry, raw, toAbsolute)
    if ('fault' in checked) return checked
    values.push({ entry, value: checked.value })
  }
  return { values }
}

function unknownKey(path: KeyPath, candidates: Iterable<string>): ValueFault {
  const nearest = nearestKey(dottedPath(path), candidates)
  return { path, problem: { kind: 'unknown-key', ...(nearest === undefined ? {} : { nearest }) } }
}

function isSection(name: string): name is SectionName {
  return (sectionNames as readonly string[]).includes(name)
}
