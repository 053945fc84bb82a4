import {
  buildDockerImage,
  cleanDocker,
  currentDirectory,
  dockerStatus,
  type LoadedConfig,
  loadConfig,
  nearestKey,
} from '../internal.ts'
import { builtText, cleanedText, notOursToBuild, statusReport } from '../messages/cli/docker.ts'
import { subcommandMissing, tooManyWords, unknownSubcommand } from '../messages/cli/run.ts'
import { exitCode } from './command.ts'
import { grammar } from './grammar.ts'
import { misuse, parseOptions } from './options.ts'
import { standardError, standardOutput } from './run/sink.ts'

const subcommands: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  build,
  status,
  clean,
}

/** `vitrine docker`: the image and the containers of the docker backend. */
export async function main([name, ...args]: readonly string[]): Promise<number> {
  const names = Object.keys(subcommands)
  if (name === undefined) throw misuse(subcommandMissing('docker', names))
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (!subcommand) throw misuse(unknownSubcommand('docker', name, names, nearestKey(name, names)))
  return subcommand(args)
}

interface Asked {
  readonly loaded: LoadedConfig
  readonly json: boolean
}

async function read(args: readonly string[]): Promise<Asked> {
  const { flags, values, words } = parseOptions(args, grammar.docker.commands.status.options)
  const [word] = words
  if (word !== undefined) throw misuse(tooManyWords(word, 'docker'))
  const configFile = values.get('config')
  const loaded = await loadConfig({ cwd: currentDirectory(), env: process.env, configFile })
  return { loaded, json: flags.has('json') }
}

async function build(args: readonly string[]): Promise<number> {
  const { loaded, json } = await read(args)
  const built = await buildDockerImage(loaded, process.env, (text) => void standardError.write(text))
  if (json) await standardOutput.write(`${JSON.stringify(built ?? { image: loaded.config.docker.image })}\n`)
  else await standardOutput.write(built ? builtText(built) : notOursToBuild(loaded.config.docker.image))
  return built && built.error === undefined ? 0 : exitCode.refused
}

async function status(args: readonly string[]): Promise<number> {
  const { loaded, json } = await read(args)
  const found = await dockerStatus(loaded, process.env)
  await standardOutput.write(json ? `${JSON.stringify(found, null, 2)}\n` : statusReport(found, Date.now()))
  return found.engine && found.image.present ? 0 : 1
}

async function clean(args: readonly string[]): Promise<number> {
  const { json } = await read(args)
  const cleaned = await cleanDocker(process.env)
  await standardOutput.write(json ? `${JSON.stringify(cleaned)}\n` : cleanedText(cleaned))
  return cleaned.failed.length === 0 ? 0 : 1
}
