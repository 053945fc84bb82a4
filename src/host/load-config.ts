import { dirname } from 'node:path'
import * as v from 'valibot'
import { homeDirectory } from '../base/paths.ts'
import {
  projectConfigFiles,
  projectFileIn,
  trustStoreFile,
  unreadableFile,
  userConfigFile,
} from '../config/files.ts'
import { type LoadedConfig, type LoadOptions, loadConfigFiles as load } from '../config/load.ts'
import { keyEntries } from '../config/schema.ts'
import { canEnter, cannotEnter, checkDirectory } from '../facts/directory.ts'
import { Lookup, type PathLookup, type PathQuestion } from '../facts/lookup.ts'
import { silentAmong } from '../facts/silent.ts'
import { fileProblems } from '../messages/config.ts'
import { wanted } from '../messages/wanted.ts'
import { absolutePath } from '../request/current-directory.ts'
import {
  checkNoNul,
  fieldOf,
  hasFields,
  isObject,
  kindOf,
  readFields,
  readVariablesField,
  refuseRequest,
  refuseType,
} from '../request/fields.ts'
import { shellPath } from '../request/request.ts'
import { pathLookupHere } from './host.ts'
import type { ShellOptions } from './shell-options.ts'

/** Throws CONFIG_INVALID, and INVALID_REQUEST for a directory whose file system does not answer. */
export async function loadConfig(given: LoadOptions): Promise<LoadedConfig> {
  const options = readLoadOptions(given)
  const pathLookup = await pathLookupHere()
  const lookup = new Lookup(pathLookup)
  const directory = canEnter(absolutePath(options.cwd))
  await lookup.ask([directory, ...questionsFor(options)])
  const [silent] = await silentAmong([directory], pathLookup, lookup)
  if (silent) throw cannotEnter(silent.path, 'ETIMEDOUT')
  return loadAnswering(options, pathLookup, lookup)
}

const loadSchema = v.partial(
  v.strictObject({
    cwd: fieldOf.string,
    env: fieldOf.variables,
    flags: v.custom<object>((value) => isObject(value) && !Array.isArray(value), wanted.flags),
    configFile: fieldOf.string,
    home: fieldOf.string,
  }),
  ['flags', 'configFile', 'home'],
)

/** A copy. Throws INVALID_REQUEST. */
function readLoadOptions(given: LoadOptions): LoadOptions {
  const options = readFields('options', given, loadSchema)
  for (const name of ['cwd', 'configFile', 'home'] as const) checkNoNul(name, options[name])
  const flags = { ...options.flags }
  for (const [key, flag] of Object.entries<unknown>(flags)) {
    if (!keyEntries.has(key)) refuseRequest({ kind: 'unknown-option', field: key })
    if (flag !== undefined && !hasFields(flag, 'value', 'from')) refuseType(key, wanted.flag, kindOf(flag))
  }
  return { ...options, flags, env: readVariablesField('env', options.env) }
}

/** Looks up the shell's directory at the same time. Throws CONFIG_INVALID, INVALID_REQUEST. */
export async function configOf(
  { backend, program, config }: ShellOptions,
  { cwd, env }: Pick<LoadOptions, 'cwd' | 'env'>,
  pathLookup: PathLookup,
): Promise<LoadedConfig> {
  const given = [
    ...(backend === undefined ? [] : [{ name: 'backend', value: backend } as const]),
    ...(program === undefined ? [] : [{ name: 'program', value: shellPath(program, cwd) } as const]),
  ]
  const lookup = new Lookup(pathLookup)
  if (typeof config !== 'object') {
    const flags = Object.fromEntries(
      given.map(({ name, value }) => [`shell.${name}`, { value, from: openedWith(name) }]),
    )
    const options = { cwd, env, configFile: config, flags }
    await lookup.ask([canEnter(cwd), ...questionsFor(options)])
    await checkDirectory(cwd, pathLookup, lookup)
    return loadAnswering(options, pathLookup, lookup)
  }
  await checkDirectory(cwd, pathLookup, lookup)
  return given.reduce(withGiven, config)
}

function openedWith(name: string): string {
  return `openShell({ ${name} })`
}

function withGiven(
  loaded: LoadedConfig,
  { name, value }: { readonly name: 'backend' | 'program'; readonly value: string },
): LoadedConfig {
  const shell = { ...loaded.config.shell, [name]: value }
  const setting = { value, source: 'flag', where: openedWith(name) } as const
  const sources = { ...loaded.sources, [`shell.${name}`]: setting }
  return { ...loaded, config: { ...loaded.config, shell }, sources }
}

/** Loads once all files are known to answer, so that reading cannot block; `lookup` may hold answers. */
async function loadAnswering(
  options: LoadOptions,
  pathLookup: PathLookup,
  lookup: Lookup,
): Promise<LoadedConfig> {
  await checkAnswering(ownFiles(options).map(textOf), pathLookup, lookup)
  // Which project files count depends on where links in the directory's path lead.
  await checkAnswering(projectConfigFiles(options.cwd).map(textOf), pathLookup, lookup)
  return load(options)
}

async function checkAnswering(
  files: readonly PathQuestion[],
  pathLookup: PathLookup,
  lookup: Lookup,
): Promise<void> {
  const [silent] = await silentAmong(files, pathLookup, lookup)
  if (silent) throw unreadableFile(silent.path, fileProblems.unanswered)
}

/** The lookups for a configuration, as far as they follow from names. */
function questionsFor(options: LoadOptions): readonly PathQuestion[] {
  const projectFiles = above(absolutePath(options.cwd)).map(projectFileIn)
  return [...ownFiles(options), ...projectFiles].map(textOf)
}

function ownFiles({ env, configFile, home = homeDirectory() }: LoadOptions): readonly string[] {
  const user = configFile === undefined ? userConfigFile(env, home) : absolutePath(configFile)
  return [user, trustStoreFile(env, home)]
}

function textOf(path: string): PathQuestion {
  return { kind: 'text', path }
}

function above(directory: string): readonly string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...above(parent)]
}
