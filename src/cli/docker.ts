import { buildDockerImage, cleanDocker, dockerStatus } from '../internal.ts'
import { builtText, cleanedText, notOursToBuild, statusReport } from '../messages/cli/docker.ts'
import { exitCode } from './command.ts'
import { loadConfigFor } from './configuration.ts'
import type { Options } from './options.ts'
import { print, standardError } from './run/sink.ts'
import { runSubcommand } from './subcommand.ts'

export function main(args: readonly string[]): Promise<number> {
  return runSubcommand('docker', { build, status, clean }, args)
}

async function build(options: Options): Promise<number> {
  const loaded = await loadConfigFor(options)
  const { image } = loaded.config.docker
  const built = await buildDockerImage(loaded, process.env, (text) => void standardError.write(text))
  const text = built ? builtText(built) : notOursToBuild(image)
  const code = built && built.error === undefined ? 0 : exitCode.refused
  return print(options.flags.has('json') ? `${JSON.stringify(built ?? { image })}\n` : text, code)
}

async function status(options: Options): Promise<number> {
  const found = await dockerStatus(await loadConfigFor(options), process.env)
  const text = options.flags.has('json')
    ? `${JSON.stringify(found, null, 2)}\n`
    : statusReport(found, Date.now())
  return print(text, found.engine && found.image.present ? 0 : 1)
}

async function clean(options: Options): Promise<number> {
  await loadConfigFor(options)
  const cleaned = await cleanDocker(process.env)
  const text = options.flags.has('json') ? `${JSON.stringify(cleaned)}\n` : cleanedText(cleaned)
  return print(text, cleaned.failed.length === 0 ? 0 : 1)
}
