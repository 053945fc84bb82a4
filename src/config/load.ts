import { homeDirectory } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { fileProblems, noSuchKey } from '../messages/config.ts'
import { VitrineError } from '../messages/error.ts'
import { absolutePath } from '../request/fields.ts'
import { type ConfigFile, type FileValue, readLayer } from './check.ts'
import type { ToAbsolute } from './field.ts'
import {
  absoluteFrom,
  isSymlink,
  projectConfigFiles,
  readConfigFile,
  unreadableFile,
  userConfigFile,
} from './files.ts'
import { type Config, type ConfigKey, type ConfigValue, type KeyEntry, keyEntries } from './schema.ts'
import { applyTrusted, type IgnoredBecause, tighten } from './tighten.ts'
import { excerptOf, type KeyPath, positionFinder, printable, tomlText } from './toml.ts'
import { type GivenValue, givenValue, readVariables } from './variables.ts'

export type { Config, ConfigKey } from './schema.ts'

/** Values of flags (or of a library's caller), by dotted key. `from` names the flag in errors and sources. */
export type Flags = {
  readonly [K in ConfigKey]?: { readonly value: ConfigValue<K>; readonly from: string } | undefined
}

export interface LoadOptions {
  /** Where the search for project files starts. */
  readonly cwd: string
  readonly env: Environment
  readonly flags?: Flags | undefined
  /** Replaces the user's file, and must exist. Relative to the current directory of the process. */
  readonly configFile?: string | undefined
  readonly home?: string | undefined
}

/** A value of a project file, or an entry of its list, that is ignored. */
export interface IgnoredValue {
  readonly key: ConfigKey
  readonly value: unknown
  /** In TOML syntax. */
  readonly text: string
  /** In force instead, in TOML syntax. */
  readonly inForceText: string
  readonly file: string
  /** 1-based; absent when the value cannot be located in the file. */
  readonly line?: number
  readonly why: IgnoredBecause
}

export type ValueSource = 'default' | 'user' | 'project' | 'variable' | 'flag'

export interface Setting {
  readonly value: unknown
  readonly source: ValueSource
  /** File, variable or flag; several, comma-separated, for a list that they add to; empty for a default. */
  readonly where: string
}

export interface ReadFile {
  readonly file: string
  readonly source: 'user' | 'project'
  /** Always true for the user's file. */
  readonly trusted: boolean
}

export interface LoadedConfig {
  readonly config: Config
  readonly sources: Readonly<Record<ConfigKey, Setting>>
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
  /** Keys that untrusted project files have tightened, with the value before. */
  readonly untightened: Map<ConfigKey, unknown>
}

/** Flags over variables over project files over the user's file over defaults. Throws CONFIG_INVALID. */
export async function loadConfigFiles(options: LoadOptions): Promise<LoadedConfig> {
  const home = options.home ?? homeDirectory()
  const assembly: Assembly = { settings: new Map(), ignored: [], files: [], untightened: new Map() }
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
  for (const { entry, value } of await fileValues({ file, text }, home))
    assembly.settings.set(entry, { value, source: 'user', where: file })
  assembly.files.push({ file, source: 'user', trusted: true })
}

async function addProjectFile(
  assembly: Assembly,
  file: string,
  env: Environment,
  home: string,
): Promise<void> {
  const text = readConfigFile(file)
  if (text === undefined) return
  const values = await fileValues({ file, text, isLink: isSymlink(file) }, home)
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
    if (trusted) assembly.untightened.delete(key)
    else if (!assembly.untightened.has(key)) assembly.untightened.set(key, before.value)
    const where = adds ? `${before.where}, ${file}` : file
    assembly.settings.set(entry, { value: result.value, source: 'project', where })
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
    if (flag === undefined) return []
    const entry = keyEntries.get(key)
    if (!entry) throw new TypeError(noSuchKey(key))
    return [givenValue(entry, flag.value, flag.from, toAbsolute)]
  })
}

async function fileValues(source: ConfigFile, home: string): Promise<readonly FileValue[]> {
  return readLayer(source, await parseToml(source), home)
}

interface TomlError {
  readonly message: string
  readonly line: number
  readonly column: number
  readonly codeblock: string
}

function isTomlError(error: unknown): error is TomlError {
  return 'codeblock' in Object(error)
}

// smol-toml is imported late: it costs start-up time, and most starts have no config file.
export async function parseToml({
  file,
  text,
  isLink,
}: ConfigFile): Promise<Readonly<Record<string, unknown>>> {
  const { parse } = await import('smol-toml')
  try {
    return parse(text)
  } catch (error) {
    if (!isTomlError(error)) throw error
    const { line, column } = error
    const detail = printable(error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    const excerpt = isLink ? {} : { excerpt: excerptOf(text, { line, column, end: column + 1 }) }
    throw new VitrineError({
      code: 'CONFIG_INVALID',
      file,
      line,
      column,
      problem: { kind: 'syntax', detail },
      ...excerpt,
    })
  }
}

function loaded({ settings, ignored, files, untightened }: Assembly): LoadedConfig {
  const config: Record<string, Record<string, unknown>> = {}
  const sources: Record<string, Setting> = {}
  for (const [{ key, section, name }, setting] of settings) {
    const own = config[section] ?? {}
    config[section] = own
    own[name] = setting.value
    sources[key] = setting
  }
  const outer = (key: ConfigKey) => (sources[key]?.source === 'project' ? untightened.get(key) : undefined)
  // `sections`, which the type is derived from, has filled every key.
  return {
    config: config as unknown as Config,
    sources: sources as Record<ConfigKey, Setting>,
    ignored,
    files,
    outerPreset: outer('policy.preset') as LoadedConfig['outerPreset'],
  }
}
