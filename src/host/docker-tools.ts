import type { Environment } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import { isVitrineError } from '../messages/error.ts'
import { buildImage, inspectImage, ownImage } from '../sandbox/docker/image.ts'
import {
  type CleanUp,
  type OwnContainer,
  ownContainers,
  removeLeftOver,
} from '../sandbox/docker/left-over.ts'
import { type FoundSocket, findEngines, reachEngine } from '../sandbox/docker/reach.ts'

export type { CleanUp, OwnContainer } from '../sandbox/docker/left-over.ts'

export interface DockerStatus {
  /** The format's version. Fields may be added; none is removed or changes its meaning. */
  readonly version: 1
  readonly chosen: boolean
  readonly engine?: { readonly socket: string; readonly version: string; readonly api: string }
  /** Why no engine was found. */
  readonly problem?: string
  /** The candidate sockets in order; `api` where an engine answers. */
  readonly sockets: readonly FoundSocket[]
  readonly image: { readonly name: string; readonly own: boolean; readonly present: boolean | null }
  /** Containers of vitrine, made by any process. */
  readonly containers: readonly OwnContainer[]
}

export async function dockerStatus({ config }: LoadedConfig, env: Environment): Promise<DockerStatus> {
  const own = config.docker.image === ''
  const image = { name: own ? ownImage : config.docker.image, own, present: null }
  const found = { version: 1, chosen: config.shell.backend === 'docker', image, containers: [] } as const
  let sockets: readonly FoundSocket[] = []
  try {
    sockets = await findEngines(env)
    const engine = await reachEngine(env)
    const { Version } = await engine.call<{ readonly Version: string }>({ method: 'GET', path: '/version' })
    return {
      ...found,
      sockets,
      engine: { socket: engine.socketPath, version: Version, api: engine.api },
      image: { ...image, present: (await inspectImage(engine, image.name)) !== undefined },
      containers: await ownContainers(engine),
    }
  } catch (error) {
    if (!isVitrineError(error)) throw error
    const { refusal } = error
    const problem = 'got' in refusal && typeof refusal.got === 'string' ? refusal.got : error.message
    return { ...found, sockets, problem }
  }
}

/** Removes the containers of hosts that are gone, and no others. Throws SANDBOX_UNAVAILABLE. */
export async function cleanDocker(env: Environment): Promise<CleanUp> {
  return removeLeftOver(await reachEngine(env))
}

export interface DockerBuild {
  readonly image: string
  /** Why it failed, in the engine's words. */
  readonly error?: string
}

/** Undefined if the configuration names another image than vitrine's own. Throws SANDBOX_UNAVAILABLE. */
export async function buildDockerImage(
  { config }: LoadedConfig,
  env: Environment,
  said: (text: string) => void,
): Promise<DockerBuild | undefined> {
  if (config.docker.image !== '') return undefined
  const error = await buildImage(await reachEngine(env), ownImage, said)
  return error === undefined ? { image: ownImage } : { image: ownImage, error }
}
