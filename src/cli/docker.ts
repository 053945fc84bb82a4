import { visible } from '../base/text.ts'
import {
  buildDockerImage,
  cleanDocker,
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
  const text = built ? builtText(built.image, built.error) : notOurs(visible(image))
  const code = built && built.error === undefined ? 0 : exitCode.refused
  return print(options.flags.has('json') ? `${JSON.stringify(built ?? { image })}\n` : text, code)
}

function builtText(image: string, error: string | undefined): string {
  if (error === undefined) return `The image ${image} exists; [docker] image = "" uses it.\n`
  return `The image ${image} could not be built: ${visible(error)}\n`
}

function notOurs(image: string): string {
  return `[docker] image = "${image}" is not an image of vitrine. Build it, or run "docker pull ${image}". With image = "" vitrine builds its own.\n`
}

async function status(options: Options): Promise<number> {
  const found = await dockerStatus(await loadConfigFor(options), process.env)
  const text = options.flags.has('json')
    ? JSON.stringify(found, null, 2)
    : [...dockerLines(found), ...found.containers.map(containerLine)].join('\n')
  return print(`${text}\n`, found.engine && found.image.present ? 0 : 1)
}

/** One line each for the backend, the engine, every socket found, and the image. */
export function dockerLines({ engine, problem, image, chosen, sockets }: DockerStatus): readonly string[] {
  return [
    `backend   ${chosen ? 'docker' : 'local ([shell] backend); docker is not in use'}`,
    `engine    ${engine ? `${engine.version}, API ${engine.api}, ${visible(engine.socket)}` : `none: ${visible(problem ?? '')}`}`,
    ...sockets.map(({ name, path, api }) => {
      const answer = api === undefined ? 'no engine answers' : `API ${api}`
      return `socket    ${visible(name)}: ${visible(path)}, ${answer}${path === engine?.socket ? ', used' : ''}`
    }),
    `image     ${visible(image.name)}${imageNote(image)}`,
  ]
}

function imageNote({ name, own, present }: DockerStatus['image']): string {
  if (present === null) return ''
  if (present) return ', present'
  return own
    ? ', missing: run "vitrine docker build"'
    : `, missing: run "docker pull ${visible(name)}", or build it`
}

function containerLine({ name, state, host, workspace, leftOver }: OwnContainer): string {
  return `container ${visible(name)}, ${leftOver ? 'leftover' : visible(state)}, of process ${host.pid}, ${visible(workspace)}`
}

async function clean(options: Options): Promise<number> {
  await loadConfigFor(options)
  const cleaned = await cleanDocker(process.env)
  const { removed, failed } = cleaned
  const lines = [
    ...removed.map(({ name, workspace }) => `removed ${visible(name)} (${visible(workspace)})`),
    ...failed.map(({ name, reason }) => `not removed: ${visible(name)}: ${visible(reason)}`),
  ]
  const text = lines.length === 0 ? 'There are no leftover containers.' : lines.join('\n')
  const said = options.flags.has('json') ? JSON.stringify(cleaned) : text
  return print(`${said}\n`, failed.length === 0 ? 0 : 1)
}
