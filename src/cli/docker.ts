import { visible } from '../base/text.ts'
import {
  buildDockerImage,
  type CleanUp,
  cleanDocker,
  type DockerBuild,
  type DockerStatus,
  dockerStatus,
  type OwnContainer,
} from '../internal.ts'
import { type Options, runSubcommand } from './arguments.ts'
import { loadConfigFor } from './configuration.ts'
import { exitCode, print, standardError } from './output.ts'

export function main(args: readonly string[]): Promise<number> {
  return runSubcommand('docker', { build, status, clean }, args)
}

async function build(options: Options): Promise<number> {
  const loaded = await loadConfigFor(options)
  const { image } = loaded.config.docker
  const built = await buildDockerImage(loaded, process.env, (text) => void standardError.write(text))
  const text = built ? builtText(built) : notOurs(visible(image))
  const code = built && built.error === undefined ? 0 : exitCode.refused
  return print(options.flags.has('json') ? `${JSON.stringify(built ?? { image })}\n` : text, code)
}

async function status(options: Options): Promise<number> {
  const found = await dockerStatus(await loadConfigFor(options), process.env)
  const text = options.flags.has('json')
    ? `${JSON.stringify(found, null, 2)}\n`
    : `${dockerLines(found).join('\n')}\n${containerTable(found.containers, Date.now())}`
  return print(text, found.engine && found.image.present ? 0 : 1)
}

async function clean(options: Options): Promise<number> {
  await loadConfigFor(options)
  const cleaned = await cleanDocker(process.env)
  const text = options.flags.has('json') ? `${JSON.stringify(cleaned)}\n` : cleanedText(cleaned)
  return print(text, cleaned.failed.length === 0 ? 0 : 1)
}

function builtText({ image, error }: DockerBuild): string {
  if (error === undefined) return `The image ${image} exists; [docker] image = "" uses it.\n`
  return `The image ${image} could not be built: ${visible(error)}\n`
}

function notOurs(image: string): string {
  return `[docker] image = "${image}" is not an image of vitrine. Build it, or run "docker pull ${image}". With image = "" vitrine builds its own.\n`
}

function cleanedText({ removed, failed }: CleanUp): string {
  if (removed.length + failed.length === 0) return 'There are no leftover containers.\n'
  const lines = [
    ...removed.map(({ name, workspace }) => `removed ${visible(name)} (${visible(workspace)})`),
    ...failed.map(({ name, reason }) => `not removed: ${visible(name)}: ${visible(reason)}`),
  ]
  return `${lines.join('\n')}\n`
}

/** One line each for the backend, the engine, every socket found, and the image. */
export function dockerLines({ engine, problem, image, chosen, sockets }: DockerStatus): readonly string[] {
  return [
    `backend  ${chosen ? 'docker' : 'local ([shell] backend); docker is not in use'}`,
    `engine   ${engine ? `${engine.version}, API ${engine.api}, ${visible(engine.socket)}` : `none: ${visible(problem ?? '')}`}`,
    ...sockets.map(({ name, path, api }) => {
      const answer = api === undefined ? 'no engine answers' : `API ${api}`
      return `socket   ${visible(name)}: ${visible(path)}, ${answer}${path === engine?.socket ? ', used' : ''}`
    }),
    `image    ${visible(image.name)}${imageNote(image)}`,
  ]
}

function imageNote({ name, own, present }: DockerStatus['image']): string {
  if (present === null) return ''
  if (present) return ', present'
  return own
    ? ', missing: run "vitrine docker build"'
    : `, missing: run "docker pull ${visible(name)}", or build it`
}

function containerTable(containers: readonly OwnContainer[], now: number): string {
  if (containers.length === 0) return 'No containers.\n'
  const rows = containers.map((container) => rowOf(container, now))
  const table = [['CONTAINER', 'MODE', 'STATE', 'AGE', 'HOST PID', 'WORKSPACE'], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  return table
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function rowOf(
  { name, mode, state, created, host, workspace, leftOver }: OwnContainer,
  now: number,
): string[] {
  const age = Math.max(0, Math.round(now / 1000 - created))
  const used = leftOver ? 'leftover' : state
  return [name, mode, used, ageText(age), String(host.pid), workspace].map(visible)
}

function ageText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
