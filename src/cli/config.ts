import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { packageFile } from '../base/package-file.ts'
import {
  absolutePath,
  configRows,
  currentDirectory,
  type IgnoredValue,
  initConfig,
  type LoadedConfig,
  loadConfig,
  projectConfigFiles,
  trustProjectFile,
  userConfigFile,
  workspaceOf,
} from '../internal.ts'
import {
  configTable,
  notAProjectFile,
  prefixed,
  projectFileMissing,
  trustedText,
  workspaceLine,
} from '../messages/cli/run.ts'
import { describeInit } from '../messages/config.ts'
import { exitCode } from './command.ts'
import { loadConfigFor, sayIgnored } from './configuration.ts'
import { misuse, type Options } from './options.ts'
import { print, standardError } from './run/sink.ts'
import { runSubcommand } from './subcommand.ts'

export function main(args: readonly string[]): Promise<number> {
  const path = () => print(`${userConfigFile(process.env)}\n`)
  const schema = () => print(readFileSync(packageFile('config.schema.json'), 'utf8'))
  return runSubcommand('config', { show, path, init, trust, schema }, args)
}

async function show(options: Options): Promise<number> {
  const loaded = await loadConfigFor(options)
  const rows = configRows(loaded)
  const place = workspaceOf({ cwd: currentDirectory(), env: process.env })
  if (options.flags.has('json')) {
    const { files, ignored } = loaded
    const { workspace } = place
    return print(`${JSON.stringify({ values: rows, workspace, files, ignored }, null, 2)}\n`)
  }
  await sayIgnored(loaded)
  return print(`${configTable(rows)}\n${workspaceLine(place)}\n`)
}

async function init({ words: [file] }: Options): Promise<number> {
  const outcome = initConfig(file === undefined ? userConfigFile(process.env) : absolutePath(file))
  if (outcome.kind === 'written') return print(`${describeInit(outcome)}\n`)
  await standardError.write(prefixed(describeInit(outcome)))
  return exitCode.refused
}

/** Trusts a file, or every project file that applies here, and reports what that changes. */
async function trust({ words: [file] }: Options): Promise<number> {
  const directory = file === undefined ? currentDirectory() : dirname(absolutePath(file))
  const places = projectConfigFiles(directory)
  const name = basename(places.at(-1) ?? '')
  if (file !== undefined && basename(file) !== name) throw misuse(notAProjectFile(file, name))
  const before = await load(directory)
  const files = file === undefined ? projectFiles(before) : [absolutePath(file)]
  if (files.length === 0) throw misuse(projectFileMissing(places))
  const trusted = await Promise.all(files.map((path) => trustProjectFile(path, process.env)))
  const after = await load(directory)
  const still = new Set(after.ignored.map(identity))
  const counting = before.ignored.filter((value) => !still.has(identity(value)))
  return print(trustedText(trusted, counting, after.ignored))
}

function identity({ file, key, text }: IgnoredValue): string {
  return JSON.stringify([file, key, text])
}

function projectFiles({ files }: LoadedConfig): readonly string[] {
  return files.filter(({ source }) => source === 'project').map(({ file }) => file)
}

function load(cwd: string): Promise<LoadedConfig> {
  return loadConfig({ cwd, env: process.env })
}
