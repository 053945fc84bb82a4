import { visible } from '../../base/text.ts'
import type { CleanUp, DockerBuild, DockerStatus, OwnContainer } from '../../host/docker-tools.ts'
import { ownImage } from '../docker.ts'

export function builtText({ image, error }: DockerBuild): string {
  if (error === undefined) return `The image ${image} exists; [docker] image = "" uses it.\n`
  return `The image ${image} could not be built: ${visible(error)}\n`
}

export function notOursToBuild(image: string): string {
  return `[docker] image = "${visible(image)}" is not an image of vitrine. Build it, or run "docker pull ${visible(image)}". With image = "" vitrine builds its own, ${ownImage}.\n`
}

export function cleanedText({ removed, failed }: CleanUp): string {
  if (removed.length + failed.length === 0) return 'There are no leftover containers.\n'
  const lines = [
    ...removed.map(({ name, workspace }) => `removed ${visible(name)} (${visible(workspace)})`),
    ...failed.map(({ name, reason }) => `not removed: ${visible(name)}: ${visible(reason)}`),
  ]
  return `${lines.join('\n')}\n`
}

/** @param now in milliseconds since 1970 */
export function statusReport(status: DockerStatus, now: number): string {
  return `${dockerLines(status).join('\n')}\n${containerTable(status.containers, now)}`
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
