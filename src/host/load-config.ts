import { homedir } from 'node:os'
import { dirname } from 'node:path'
import {
  projectConfigFiles,
  projectFileIn,
  trustStoreFile,
  unreadable,
  userConfigFile,
} from '../config/files.ts'
import { type LoadedConfig, type LoadOptions, loadConfig as load } from '../config/load.ts'
import { canEnter, cannotEnter, checkDirectory } from '../facts/directory.ts'
import { Look, type Looker, type Question } from '../facts/look.ts'
import { silentAmong } from '../facts/silent.ts'
import { fileUnanswered } from '../messages/config.ts'
import { absolutePath } from '../request/current-directory.ts'
import { lookerHere } from './host.ts'
import type { ShellOptions } from './shell-options.ts'

/**
 * Loads the configuration. Flags take precedence over variables, then project files, the user's file,
 * defaults. Throws CONFIG_INVALID, and INVALID_REQUEST for a directory whose file system does not answer.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const looker = await lookerHere()
  const look = new Look(looker)
  const directory = canEnter(absolutePath(options.cwd))
  await look.ask([directory, ...questionsFor(options)])
  const [silent] = await silentAmong([directory], looker, look)
  if (silent) throw cannotEnter(silent.path, 'ETIMEDOUT')
  return loadAnswering(options, looker, look)
}

/**
 * The configuration of a new shell, and the check that commands can run in its directory; both are looked up
 * together. Throws CONFIG_INVALID, INVALID_REQUEST.
 */
export async function configOf(
  { backend, config }: ShellOptions,
  { cwd, env }: Pick<LoadOptions, 'cwd' | 'env'>,
  looker: Looker,
): Promise<LoadedConfig> {
  const where = 'openShell({ backend })'
  const look = new Look(looker)
  if (typeof config !== 'object') {
    const flags = backend && { 'shell.backend': { value: backend, from: where } }
    const options = { cwd, env, configFile: config, flags }
    await look.ask([canEnter(cwd), ...questionsFor(options)])
    await checkDirectory(cwd, looker, look)
    return loadAnswering(options, looker, look)
  }
  await checkDirectory(cwd, looker, look)
  if (backend === undefined) return config
  const shell = { ...config.config.shell, backend }
  const sources = { ...config.sources, 'shell.backend': { value: backend, source: 'flag', where } as const }
  return { ...config, config: { ...config.config, shell }, sources }
}

/**
 * Loads once all files are known to answer, so that reading them cannot block.
 * @param look may hold answers already
 */
async function loadAnswering(options: LoadOptions, looker: Looker, look: Look): Promise<LoadedConfig> {
  await checkAnswering(ownFiles(options).map(textOf), looker, look)
  // Which project files count depends on where links in the directory's path lead.
  await checkAnswering(projectConfigFiles(options.cwd).map(textOf), looker, look)
  return load(options)
}

async function checkAnswering(files: readonly Question[], looker: Looker, look: Look): Promise<void> {
  const [silent] = await silentAmong(files, looker, look)
  if (silent) throw unreadable(silent.path, fileUnanswered)
}

/** The lookups for a configuration, as far as they follow from names. */
function questionsFor(options: LoadOptions): readonly Question[] {
  const projectFiles = above(absolutePath(options.cwd)).map(projectFileIn)
  return [...ownFiles(options), ...projectFiles].map(textOf)
}

function ownFiles({ env, configFile, home = homedir() }: LoadOptions): readonly string[] {
  const user = configFile === undefined ? userConfigFile(env, home) : absolutePath(configFile)
  return [user, trustStoreFile(env, home)]
}

function textOf(path: string): Question {
  return { kind: 'text', path }
}

function above(directory: string): readonly string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...above(parent)]
}
