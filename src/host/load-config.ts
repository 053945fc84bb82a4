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
 * Puts the configuration together: flags over variables over project files over the user's file over defaults. Throws
 * CONFIG_INVALID, and INVALID_REQUEST for a directory whose file system does not answer.
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
 * The configuration that a shell is opened with, in a directory that commands can run in; both are looked at together. Throws
 * CONFIG_INVALID, INVALID_REQUEST.
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

/** Loads what is known to answer, so that reading it keeps nobody waiting. @param look it may have been there already */
async function loadAnswering(options: LoadOptions, looker: Looker, look: Look): Promise<LoadedConfig> {
  await checkAnswering(ownFiles(options).map(textOf), looker, look)
  // Which of the project files count depends on where links in the directory's path lead.
  await checkAnswering(projectConfigFiles(options.cwd).map(textOf), looker, look)
  return load(options)
}

async function checkAnswering(files: readonly Question[], looker: Looker, look: Look): Promise<void> {
  const [silent] = await silentAmong(files, looker, look)
  if (silent) throw unreadable(silent.path, fileUnanswered)
}

/** What is looked at for a configuration, as far as names tell. */
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

/** A directory and those that it lies in. */
function above(directory: string): readonly string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...above(parent)]
}
