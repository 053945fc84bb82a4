import { VitrineError } from '../../errors.ts'
import { isBeneath } from '../../program-path.ts'
import { containerFailed, imageMissing, unfitWorkspaceWords } from '../../result/explain-docker.ts'
import { Containers } from './containers.ts'
import { type Engine, isEngineError } from './engine.ts'
import { removeLeftOver } from './left-over.ts'
import { type Reach, reachEngine } from './reach.ts'
import type { ContainerSettings } from './spec.ts'
import { placesOf, unfitWorkspace } from './workspace.ts'

/** What a shell asks of the backend. */
export interface DockerOptions extends Reach {
  readonly workspace: string
  readonly settings: Omit<ContainerSettings, 'user'>
}

/** What a shell works with: its containers, and what can be reached in them. */
export interface DockerParts {
  readonly containers: Containers
  /** Directories that containers show. */
  readonly places: readonly string[]
}

/**
 * Finds the engine and the image, and removes what hosts have left that are gone. No container is started. Throws
 * SANDBOX_UNAVAILABLE.
 */
export async function openDocker({ workspace, settings, ...reach }: DockerOptions): Promise<DockerParts> {
  const engine = await reachEngine(reach)
  const unfit = unfitWorkspace(workspace, engine.socketPath)
  if (unfit) throw refusal(unfitWorkspaceWords(workspace, unfit))
  const user = await asEngine(async () => {
    await checkImage(engine, settings.image)
    await removeLeftOver(engine)
    return userOf(engine)
  })
  const places = placesOf(workspace)
  const made = { ...settings, user }
  return { places, containers: new Containers({ engine, settings: made, workspace, places }) }
}

/** Whether a directory is shown in the containers. */
export function isShown(directory: string, places: readonly string[]): boolean {
  return places.some((place) => isBeneath(directory, place))
}

async function checkImage(engine: Engine, image: string): Promise<void> {
  try {
    await engine.call({ method: 'GET', path: `/images/${image}/json` })
  } catch (error) {
    if (isEngineError(error) && error.status === 404) throw refusal(imageMissing(image))
    throw error
  }
}

/** In a rootless engine root of a container is the user who runs it; every other id is another one of the host's. */
async function userOf(engine: Engine): Promise<ContainerSettings['user']> {
  const { SecurityOptions } = await engine.call<{ readonly SecurityOptions?: readonly string[] }>({
    method: 'GET',
    path: '/info',
  })
  if (SecurityOptions?.some((option) => /^name=rootless\b/.test(option))) return { uid: 0, gid: 0 }
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
}

async function asEngine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isEngineError(error) ? refusal(containerFailed(error.message)) : error
  }
}

function refusal(words: ReturnType<typeof imageMissing>): VitrineError {
  return new VitrineError({ code: 'SANDBOX_UNAVAILABLE', for: 'docker', ...words })
}
