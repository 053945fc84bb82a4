import { dirname } from 'node:path'
import { nearestKey } from '../base/did-you-mean.ts'
import { VitrineError } from '../messages/error.ts'
import {
  checkValue,
  dottedPath,
  isTable,
  type KeyPath,
  notATable,
  type Table,
  type ValueFault,
} from './check.ts'
import type { ToAbsolute } from './field.ts'
import { absoluteFrom } from './files.ts'
import { excerptOf, positionFinder } from './locate.ts'
import { type KeyEntry, keyEntries, type SectionName, sectionNames } from './schema.ts'

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
