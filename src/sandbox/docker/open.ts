import { isBeneath } from '../../program-path.ts'
import { imageMissing, unfitWorkspaceWords } from '../../result/explain-docker.ts'
import { Containers } from './containers.ts'
import { type Engine, isEngineError } from './engine.ts'
import { hasImage } from './image.ts'
import { removeLeftOver } from './left-over.ts'
import { type Reach, reachEngine } from './reach.ts'
import { engineRefusal, refusalOf } from './refusal.ts'
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
  if (unfit) throw refusalOf(unfitWorkspaceWords(workspace, unfit))
  const user = await openable(engine, settings.image)
  // What cannot be removed is no reason to run nothing: "vitrine docker clean" tells of it.
  void removeLeftOver(engine, { inBackground: true }).catch(() => {})
  const places = placesOf(workspace)
  const made = { ...settings, user }
  return { places, containers: new Containers({ engine, settings: made, workspace, places }) }
}

/** Whether a directory is shown in the containers. */
export function isShown(directory: string, places: readonly string[]): boolean {
  return places.some((place) => isBeneath(directory, place))
}

async function checkImage(engine: Engine, image: string): Promise<void> {
  if (!(await hasImage(engine, image))) throw refusalOf(imageMissing(image))
}

/** In a rootless engine root of a container is the user who runs it; every other id is another one of the host's. */
async function userOf(engine: Engine): Promise<ContainerSettings['user']> {
  const { SecurityOptions } = await engine.call<{ readonly SecurityOptions?: readonly string[] }>({
    method: 'GET',
    path: '/info',
  })
  if (SecurityOptions?.some((option) => /^name=rootless\b/.test(option)))
    return { uid: 0, gid: 0, groups: [] }
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, groups: process.getgroups?.() ?? [] }
}

/** Looks at the image and the user at the same time. Throws SANDBOX_UNAVAILABLE. */
async function openable(engine: Engine, image: string): Promise<ContainerSettings['user']> {
  try {
    const [user] = await Promise.all([userOf(engine), checkImage(engine, image)])
    return user
  } catch (error) {
    throw isEngineError(error) ? engineRefusal(engine, image, error) : error
  }
}
