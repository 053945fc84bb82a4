import * as v from 'valibot'
import { homeDirectory } from '../base/paths.ts'
import {
  exists,
  projectConfigFiles,
  trustStoreFile,
  unreadableFile,
  userConfigFile,
} from '../config/files.ts'
import { type Flags, type LoadedConfig, type LoadOptions, loadConfigFiles as load } from '../config/load.ts'
import { badSetting } from '../config/origin.ts'
import { fileProblems } from '../messages/config.ts'
import { type NetworkSetting, patternsOf } from '../network/access.ts'
import { absolutePath, fieldOf, isObject, readFields, refuseValue } from '../request/fields.ts'
import { answered, cannotEnter, checkDirectory, isUnanswered, statusOf } from '../request/lookup.ts'
import { shellPath } from '../request/request.ts'
import type { ShellOptions } from './shell-options.ts'

const loadSchema = v.strictObject({
  cwd: fieldOf.string,
  env: fieldOf.variables,
  flags: v.optional(v.custom<Flags>(isObject, 'an object of flags')),
  configFile: v.optional(fieldOf.string),
  home: v.optional(fieldOf.string),
})

/**
 * Loads the configuration of a directory, as `openShell` does. Throws CONFIG_INVALID, and INVALID_REQUEST for wrong options or a directory
 * whose file system does not answer.
 */
export async function loadConfig(given: LoadOptions): Promise<LoadedConfig> {
  const options = readFields('options', given, loadSchema)
  const cwd = absolutePath(options.cwd)
  const silent = await silentAmong([cwd])
  if (silent !== undefined) throw cannotEnter(cwd, 'ETIMEDOUT')
  return loadAnswering(options)
}

/** Throws CONFIG_INVALID, INVALID_REQUEST. */
export async function configOf(
  { backend, program, config }: ShellOptions,
  { cwd, env }: Pick<LoadOptions, 'cwd' | 'env'>,
): Promise<LoadedConfig> {
  const given = Object.entries({ backend, program: program && shellPath(program, cwd) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value, from: `openShell({ ${name} })` }))
  await checkDirectory(cwd)
  if (typeof config !== 'object') {
    const flags = given.map(({ name, value, from }) => [`shell.${name}`, { value, from }])
    return loadAnswering({ cwd, env, configFile: config, flags: Object.fromEntries(flags) })
  }
  const shell = Object.fromEntries(given.map(({ name, value }) => [name, value]))
  const settings = given.map(({ name, value, from }) => [
    `shell.${name}`,
    { value, source: 'flag', where: from },
  ])
  const sources = { ...config.sources, ...Object.fromEntries(settings) }
  return { ...config, config: { ...config.config, shell: { ...config.config.shell, ...shell } }, sources }
}

/** Loads once all files are known to answer, so that reading cannot block. */
async function loadAnswering(options: LoadOptions): Promise<LoadedConfig> {
  const { env, configFile, home = homeDirectory() } = options
  const user = configFile === undefined ? userConfigFile(env, home) : absolutePath(configFile)
  const projects = projectConfigFiles(options.cwd)
  const silent =
    (await silentAmong([user, ...projects])) ??
    (projects.some(exists) ? await silentAmong([trustStoreFile(env, home)]) : undefined)
  if (silent !== undefined) throw unreadableFile(silent, fileProblems.unanswered)
  return load(options)
}

/** The first path whose file system does not answer. */
async function silentAmong(paths: readonly string[]): Promise<string | undefined> {
  let at: string | undefined
  try {
    await answered(async () => {
      for (at of paths) await statusOf(at)
    })
    return undefined
  } catch (error) {
    if (!isUnanswered(error)) throw error
    return at ?? paths[0]
  }
}

/** A wildcard that would allow hosts of everybody. */
const narrowWildcard = 'a wildcard below a registered name, such as "*.example.com"'
export const suffixWildcard = (text: string) =>
  `"${text}", a public suffix, below which anyone can register names`

/** Throws INVALID_REQUEST (a given list) or CONFIG_INVALID if a wildcard allows a whole public suffix. */
export async function checkWildcards(given: NetworkSetting | undefined, loaded: LoadedConfig): Promise<void> {
  const wide = await publicSuffixIn(given ?? loaded.config.shell.network)
  if (wide === undefined) return
  const got = suffixWildcard(wide)
  if (given !== undefined) refuseValue('network', narrowWildcard, got)
  throw await badSetting(loaded, 'shell.network', narrowWildcard, got)
}

/** The first entry that is a wildcard over a whole public suffix. */
export async function publicSuffixIn(setting: NetworkSetting): Promise<string | undefined> {
  if (typeof setting === 'boolean') return undefined
  const wildcards = patternsOf(setting).filter(({ wildcard }) => wildcard)
  if (wildcards.length === 0) return undefined
  const { suffixWildcards } = await import('../network/public-suffix.ts')
  const [wide] = await suffixWildcards(wildcards)
  return wide?.text
}
