import * as v from 'valibot'
import { nearestKey } from '../base/did-you-mean.ts'
import { homeDirectory } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { fileProblems } from '../messages/config.ts'
import { VitrineError } from '../messages/error.ts'
import { absolutePath } from '../request/fields.ts'
import { checkValue, type FileValue, readLayer } from './check.ts'
import type { ToAbsolute } from './field.ts'
import {
  absoluteFrom,
  isSymlink,
  projectConfigFiles,
  readConfigFile,
  unreadableFile,
  userConfigFile,
} from './files.ts'
import {
  type Config,
  type ConfigKey,
  type ConfigValue,
  type KeyEntry,
  keyEntries,
  type SectionName,
  sectionNames,
} from './schema.ts'
import { applyTrusted, type IgnoredBecause, tighten } from './tighten.ts'
import { type KeyPath, positionFinder, tomlText } from './toml.ts'

export type { Config, ConfigKey } from './schema.ts'

/** Each a `value` over all files and variables, by dotted key; `from` names its flag or caller in errors and sources. Absent: not given. */
export type Flags = {
  readonly [K in ConfigKey]?: { readonly value: ConfigValue<K>; readonly from: string } | undefined
}

/** Where `loadConfig` looks. */
export interface LoadOptions {
  /** Where the search for project files starts. */
  readonly cwd: string
  /** `XDG_CONFIG_HOME`, `XDG_STATE_HOME` and the `VITRINE_SECTION_KEY` variables are taken from here. */
  readonly env: Environment
  /** Default: none. */
  readonly flags?: Flags | undefined
  /** Must exist; relative to the current directory of the process. Default: the user's file. */
  readonly configFile?: string | undefined
  /** Where `~` leads. Default: the user's home directory. */
  readonly home?: string | undefined
}

/** A value of a project file, or an entry of its list, that is ignored. */
export interface IgnoredValue {
  /** Its key. */
  readonly key: ConfigKey
  /** As the file has it. */
  readonly value: unknown
  /** In TOML syntax. */
  readonly text: string
  /** In force instead, in TOML syntax. */
  readonly inForceText: string
  /** The project file. */
  readonly file: string
  /** 1-based; absent when the value cannot be located in the file. */
  readonly line?: number
  /** Why it is ignored. */
  readonly why: IgnoredBecause
}

/** The value of one key, and where it comes from. */
export interface Setting {
  /** In force. */
  readonly value: unknown
  /** What set it last. */
  readonly source: 'default' | 'user' | 'project' | 'variable' | 'flag'
  /** File, variable or flag; several, comma-separated, for a list that they add to; empty for a default. */
  readonly where: string
  /** The value before untrusted project files have tightened it. Absent: none has. */
  readonly outer?: unknown
}

/** A configuration file that was read. */
export interface ReadFile {
  /** Its absolute path. */
  readonly file: string
  /** Whose it is. */
  readonly source: 'user' | 'project'
  /** Always true for the user's file. */
  readonly trusted: boolean
}

/** A configuration with the origin of every value. */
export interface LoadedConfig {
  /** The values in force. */
  readonly config: Config
  /** The origin of each, by dotted key. */
  readonly sources: Readonly<Record<ConfigKey, Setting>>
  /** What project files would have loosened. */
  readonly ignored: readonly IgnoredValue[]
  /** Lowest precedence first. */
  readonly files: readonly ReadFile[]
  /** `policy.preset` without untrusted project files, where one of them has set it. */
  readonly outerPreset: Config['policy']['preset'] | undefined
}

interface Assembly {
  /** Of every key. */
  readonly settings: Map<KeyEntry, Setting>
  readonly ignored: IgnoredValue[]
  readonly files: ReadFile[]
}

/** Flags over variables over project files over the user's file over defaults. Throws CONFIG_INVALID. */
export async function loadConfigFiles(options: LoadOptions): Promise<LoadedConfig> {
  const home = options.home ?? homeDirectory()
  const assembly: Assembly = { settings: new Map(), ignored: [], files: [] }
  for (const entry of keyEntries.values())
    assembly.settings.set(entry, { value: entry.fallback, source: 'default', where: '' })
  await addUserFile(assembly, options, home)
  for (const file of projectConfigFiles(options.cwd)) await addProjectFile(assembly, file, options.env, home)
  const toAbsolute = absoluteFrom(absolutePath(options.cwd), home)
  addGiven(assembly, 'variable', readVariables(options.env, toAbsolute))
  addGiven(assembly, 'flag', flagValues(options.flags ?? {}, toAbsolute))
  return loaded(assembly)
}

async function addUserFile(assembly: Assembly, options: LoadOptions, home: string): Promise<void> {
  const { configFile } = options
  const file = configFile === undefined ? userConfigFile(options.env, home) : absolutePath(configFile)
  const text = readConfigFile(file)
  if (text === undefined) {
    if (configFile !== undefined) throw unreadableFile(file, fileProblems.missing)
    return
  }
  for (const { entry, value } of await readLayer({ file, text }, home))
    assembly.settings.set(entry, { value, source: 'user', where: file })
  assembly.files.push({ file, source: 'user', trusted: true })
}

async function addProjectFile(assembly: Assembly, file: string, env: Environment, home: string) {
  const text = readConfigFile(file)
  if (text === undefined) return
  const values = await readLayer({ file, text, isLink: isSymlink(file) }, home)
  // Imported late, because it loads node:crypto: most starts have no project file.
  const { isTrusted } = await import('./trust.ts')
  const trusted = isTrusted(file, text, env, home)
  const ignored = values.flatMap((value) => applyProjectValue(assembly, file, value, trusted))
  assembly.files.push({ file, source: 'project', trusted })
  if (ignored.length === 0) return
  const locate = await positionFinder(text)
  for (const { path, ...facts } of ignored) {
    const place = locate(path, 'name')
    assembly.ignored.push({ ...facts, file, ...(place && { line: place.line }) })
  }
}

type UnplacedIgnoredValue = Omit<IgnoredValue, 'file' | 'line'> & { readonly path: KeyPath }

/** Applies a project file's value as far as it is allowed; returns the parts that are ignored. */
function applyProjectValue(
  assembly: Assembly,
  file: string,
  { entry, value }: FileValue,
  trusted: boolean,
): UnplacedIgnoredValue[] {
  const { key, section, name } = entry
  const before = assembly.settings.get(entry) as Setting
  const result = (trusted ? applyTrusted : tighten)(entry.project, before.value, value)
  if (result.value !== before.value) {
    const adds = entry.project.kind === 'union' && before.where !== ''
    const where = adds ? `${before.where}, ${file}` : file
    const outer = trusted ? {} : { outer: before.outer ?? before.value }
    assembly.settings.set(entry, { value: result.value, source: 'project', where, ...outer })
  }
  const inForceText = tomlText(result.value)
  return result.ignored.map(({ index, why }) => {
    const item = index === undefined ? value : (value as readonly unknown[])[index]
    const path = index === undefined ? [section, name] : [section, name, index]
    return { key, value: item, text: tomlText(item), inForceText, why, path }
  })
}

function addGiven(assembly: Assembly, source: 'variable' | 'flag', given: readonly GivenValue[]): void {
  for (const { entry, value, where } of given) assembly.settings.set(entry, { value, source, where })
}

function flagValues(flags: Flags, toAbsolute: ToAbsolute): GivenValue[] {
  return Object.entries(flags).flatMap(([key, flag]) => {
    const entry = keyEntries.get(key)
    return entry && flag ? [givenValue(entry, flag.value, flag.from, toAbsolute)] : []
  })
}

function loaded({ settings, ignored, files }: Assembly): LoadedConfig {
  const config: Record<string, Record<string, unknown>> = {}
  const sources: Record<string, Setting> = {}
  for (const [{ key, section, name }, setting] of settings) {
    config[section] = Object.assign(config[section] ?? {}, { [name]: setting.value })
    sources[key] = setting
  }
  const outerPreset = sources['policy.preset']?.outer as LoadedConfig['outerPreset']
  // The table of keys, which the type is derived from, has filled every key.
  return {
    config: config as unknown as Config,
    sources: sources as Record<ConfigKey, Setting>,
    ignored,
    files,
    outerPreset,
  }
}

interface GivenValue extends FileValue {
  /** The variable or flag. */
  readonly where: string
}

const PREFIX = 'VITRINE_'

/** The variable of a key: `VITRINE_SHELL_TIMEOUT_MS` for `shell.timeout_ms`. */
function variableName(key: ConfigKey): string {
  return PREFIX + key.replace('.', '_').toUpperCase()
}

/** Reads the VITRINE_SECTION_KEY variables. Those without a section belong to other programs. */
function readVariables(env: Environment, toAbsolute: ToAbsolute): GivenValue[] {
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
function givenValue(entry: KeyEntry, raw: unknown, where: string, toAbsolute: ToAbsolute): GivenValue {
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
