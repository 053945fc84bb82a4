import * as v from 'valibot'
import { nearestKey } from '../base/did-you-mean.ts'
import type { Environment } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import { checkValue, type FileValue } from './check.ts'
import type { ToAbsolute } from './field.ts'
import { type ConfigKey, type KeyEntry, keyEntries, type SectionName, sectionNames } from './schema.ts'

export interface GivenValue extends FileValue {
  /** The variable or flag. */
  readonly where: string
}

const PREFIX = 'VITRINE_'

/** The variable of a key: `VITRINE_SHELL_TIMEOUT_MS` for `shell.timeout_ms`. */
export function variableName(key: ConfigKey): string {
  return PREFIX + key.replace('.', '_').toUpperCase()
}

/** Reads the VITRINE_SECTION_KEY variables. Those without a section belong to other programs. */
export function readVariables(env: Environment, toAbsolute: ToAbsolute): GivenValue[] {
  const given: GivenValue[] = []
  for (const [name, text] of Object.entries(env)) {
    const section = sectionOf(name) ?? sectionMeant(name)
    if (section === undefined || text === undefined) continue
    const entry = entryOf(name, section)
    given.push(givenValue(entry, readAs(entry, text), name, toAbsolute))
  }
  return given
}

/** Validates a value that stands in no file; `where` names its variable or flag. Throws CONFIG_INVALID. */
export function givenValue(entry: KeyEntry, raw: unknown, where: string, toAbsolute: ToAbsolute): GivenValue {
  const checked = checkValue(entry, raw, toAbsolute)
  if (!('problem' in checked)) return { ...checked, where }
  throw new VitrineError({ code: 'CONFIG_INVALID', file: where, key: entry.key, problem: checked.problem })
}

function sectionOf(name: string): SectionName | undefined {
  if (!name.startsWith(PREFIX)) return undefined
  return sectionNames.find((section) => name.startsWith(`${PREFIX}${section.toUpperCase()}_`))
}

/** The section that a misspelt one means: where the rest is a key of it, a limit or a rule would silently not apply. */
function sectionMeant(name: string): SectionName | undefined {
  const [, word = '', key] = /^VITRINE_([A-Z]+)_(.+)$/.exec(name) ?? []
  if (key === undefined) return undefined
  const near = sectionNames.filter((section) => nearestKey(word, [section]))
  return near.find((section) => keyEntries.has(`${section}.${key.toLowerCase()}`))
}

function entryOf(name: string, section: SectionName): KeyEntry {
  const key = name.slice(PREFIX.length).toLowerCase().replace('_', '.')
  const entry = keyEntries.get(key)
  if (entry && name === variableName(entry.key)) return entry
  const inSection = key.replace(/^[^.]*/, section)
  const meant = keyEntries.get(inSection) ?? keyEntries.get(nearestKey(key, keyEntries.keys()) ?? '')
  throw new VitrineError({
    code: 'CONFIG_INVALID',
    file: name,
    key,
    problem: { kind: 'unknown-key', ...(meant ? { nearest: variableName(meant.key) } : {}) },
  })
}

// Text that cannot be converted to the key's type stays text, so that validation reports the wanted type.
function readAs(entry: KeyEntry, text: string): unknown {
  const schema = entry.schema()
  if (schema.type === 'boolean') return booleanOf(text)
  if (schema.type === 'number') return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (schema.type === 'record') return tableOf(text)
  if (schema.type === 'union' && v.is(schema, true)) return booleanOr(text)
  if (schema.type === 'array' || schema.type === 'union') return itemsOf(text)
  return text
}

function booleanOf(text: string): unknown {
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : text
}

function booleanOr(text: string): unknown {
  const value = booleanOf(text)
  return typeof value === 'boolean' || text === '' ? value : itemsOf(text)
}

function itemsOf(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '')
}

function tableOf(text: string): unknown {
  const pairs = itemsOf(text).map((item) => item.split(/=(.*)/s, 2))
  return pairs.every((pair) => pair.length === 2) ? Object.fromEntries(pairs) : text
}
