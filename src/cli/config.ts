import { readFileSync } from 'node:fs'
import { basename, dirname, sep } from 'node:path'
import { projectFiles } from '../attach/clients.ts'
import { packageFile } from '../base/package-file.ts'
import { visible } from '../base/text.ts'
import {
  absolutePath,
  configRows,
  currentDirectory,
  type IgnoredValue,
  initConfig,
  loadConfig,
  projectConfigFiles,
  trustProjectFile,
  userConfigFile,
  workspaceOf,
} from '../internal.ts'
import { misuse, type Options, runSubcommand } from './arguments.ts'
import { describeIgnoredValues, loadConfigFor, sayIgnored } from './configuration.ts'
import { print, refuse } from './output.ts'

export function main(args: readonly string[]): Promise<number> {
  const path = () => print(`${userConfigFile(process.env)}\n`)
  const schema = () => print(readFileSync(packageFile('config.schema.json'), 'utf8'))
  return runSubcommand('config', { show, path, init, trust, schema }, args)
}

async function show(options: Options): Promise<number> {
  const loaded = await loadConfigFor(options)
  const rows = configRows(loaded)
  const { workspace, why } = workspaceOf({ cwd: currentDirectory(), env: process.env })
  if (options.flags.has('json')) {
    const { files, ignored } = loaded
    return print(`${JSON.stringify({ values: rows, workspace, files, ignored }, null, 2)}\n`)
  }
  await sayIgnored(loaded)
  return print(`${configTable(rows)}\nThe workspace is ${visible(workspace)}: ${workspaceReasons[why]}.\n`)
}

const workspaceReasons = {
  named: '--workspace names it',
  'work tree': 'the directory with the .git that git finds from here',
  directory: 'this directory, because git finds no .git of this user from here',
} as const

const widestValue = 40

function configTable(rows: ReturnType<typeof configRows>): string {
  const keyWidth = Math.max(...rows.map(({ key }) => key.length))
  const valueWidth = Math.min(widestValue, Math.max(...rows.map(({ text }) => text.length)))
  return rows
    .map(({ key, text, source, where }) => {
      const from = where === '' ? source : `${source}: ${visible(where)}`
      return `${key.padEnd(keyWidth)}  ${text.padEnd(valueWidth)}  ${from}\n`
    })
    .join('')
}

async function init({ words: [given] }: Options): Promise<number> {
  const file = given === undefined ? userConfigFile(process.env) : absolutePath(given)
  const outcome = initConfig(file)
  if (outcome === 'written')
    return print(`${visible(file)}: written, with every key and its default commented out\n`)
  const why =
    outcome === 'exists' ? 'already exists and is unchanged' : `cannot be written (${outcome.errno})`
  return refuse(`${file}: ${why}`)
}

/** Trusts a file, or every project file that applies here, and reports what that changes. */
async function trust({ words: [file] }: Options): Promise<number> {
  if (file !== undefined && projectFiles.some((path) => absolutePath(file).endsWith(`${sep}${path}`))) {
    const path = await trustProjectFile(absolutePath(file), process.env)
    return print(`${visible(path)}: trusted until the file changes\n`)
  }
  const directory = file === undefined ? currentDirectory() : dirname(absolutePath(file))
  const places = projectConfigFiles(directory)
  const name = basename(places.at(-1) ?? '')
  if (file !== undefined && basename(file) !== name)
    throw misuse(
      `${visible(file)} is not a project file that can be trusted: a ${name}, or settings of a client such as .claude/settings.json.`,
    )
  const place = { cwd: directory, env: process.env }
  const before = await loadConfig(place)
  const inForce = before.files.filter(({ source }) => source === 'project')
  const files = file === undefined ? inForce.map((one) => one.file) : [absolutePath(file)]
  if (files.length === 0)
    throw misuse(
      `There is no project file to trust; none of these exists: ${places.map(visible).join(', ')}.`,
    )
  const trusted = await Promise.all(files.map((path) => trustProjectFile(path, process.env)))
  const after = await loadConfig(place)
  const still = new Set(after.ignored.map(identity))
  const counting = before.ignored.filter((value) => !still.has(identity(value)))
  const lines = [
    ...trusted.map((path) => `${visible(path)}: trusted until the file changes`),
    ...counting.map(({ key, text }) => `now applies: ${key} = ${text}`),
    ...describeIgnoredValues(after.ignored),
  ]
  return print(lines.map((line) => `${line}\n`).join(''))
}

function identity({ file, key, text }: IgnoredValue): string {
  return JSON.stringify([file, key, text])
}
