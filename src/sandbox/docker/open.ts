import { stat } from 'node:fs/promises'
import { isBeneath } from '../../base/paths.ts'
import type { Enforcement, Environment, RightEnforcement } from '../../base/types.ts'
import { dockerNotes, imageMissing, unfitWorkspaceWords } from '../../messages/docker.ts'
import { hostsNeed } from '../../messages/sandbox/network.ts'
import { workspaceInContainer, workspaceNotes } from '../../messages/workspace.ts'
import { enforced, notEnforced, refuseChanges, refuseHosts } from '../enforcement.ts'
import type { Changes, Sandbox } from '../sandbox.ts'
import { Containers } from './containers.ts'
import { type Engine, engineRefusal, isEngineError, refusalOf } from './engine.ts'
import { inspectImage, ownMounts } from './image.ts'
import { removeLeftOver } from './left-over.ts'
import { reachEngine } from './reach.ts'
import {
  type ContainerSettings,
  type ContainerUser,
  type MadeMounts,
  readUserMounts,
  type UserMount,
} from './spec.ts'
import { unfitWorkspace, workspacePaths } from './workspace.ts'

interface DockerOptions {
  /** The caller's environment: DOCKER_HOST, DOCKER_CONTEXT, XDG_RUNTIME_DIR, HOME. */
  readonly env: Environment
  readonly workspace: string
  readonly docker: { readonly mounts: readonly string[]; readonly user: string }
  readonly settings: Omit<ContainerSettings, 'user' | 'mounts'>
}

interface DockerParts {
  readonly containers: Containers
  readonly places: readonly string[]
  readonly hasSeccomp: boolean
}

/** Removes containers of hosts that are gone. Starts none. Throws SANDBOX_UNAVAILABLE. */
export async function openDocker({ env, workspace, docker, settings }: DockerOptions): Promise<DockerParts> {
  const engine = await reachEngine(env)
  const unfit = unfitWorkspace(workspace, engine.socketPath)
  if (unfit) throw refusalOf(unfitWorkspaceWords(workspace, unfit))
  const mounts = readUserMounts(docker.mounts, env)
  try {
    const [info, image] = await Promise.all([engineInfo(engine), inspectImage(engine, settings.image)])
    if (image === undefined) throw refusalOf(imageMissing(settings.image))
    const user = await userOf(info, docker.user, workspace)
    const own = await ownMounts(engine, image.id, user, env)
    // A failed removal does not prevent commands; "vitrine docker clean" reports it.
    void removeLeftOver(engine, { inBackground: true }).catch(() => {})
    const places = workspacePaths(workspace)
    const isFree = ({ target }: UserMount) => !mounts.some((mount) => mount.target === target)
    const made = { ...settings, user, mounts: [...mounts, ...own.filter(isFree)] }
    const containers = new Containers({ engine, settings: made, workspace, places, env, image })
    return { places, containers, hasSeccomp: info.hasSeccomp }
  } catch (error) {
    throw isEngineError(error) ? engineRefusal(engine, settings.image, error) : error
  }
}

/**
 * `[docker] user`: an id, the workspace's owner, or this process's user. A rootless engine's root is its own
 * user, every other id a different one of the host.
 */
async function userOf({ isRootless }: EngineInfo, named: string, workspace: string): Promise<ContainerUser> {
  const [uid, gid = uid] = named.split(':').map(Number)
  if (uid !== undefined && gid !== undefined && /^\d/.test(named)) return { uid, gid, groups: [] }
  if (isRootless) return { uid: 0, gid: 0, groups: [] }
  if (named === 'owner') {
    const owner = await stat(workspace)
    return { uid: owner.uid, gid: owner.gid, groups: [] }
  }
  return {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
  }
}

interface Info {
  readonly SecurityOptions?: readonly string[] | null
  /** Podman's own field; before 4.6 it has no security option for it. */
  readonly Rootless?: boolean
}

interface EngineInfo {
  readonly isRootless: boolean
  /** It applies its default seccomp profile. */
  readonly hasSeccomp: boolean
}

/** Throws EngineError. */
export async function engineInfo(engine: Engine): Promise<EngineInfo> {
  const info = await engine.call<Info | undefined>({ method: 'GET', path: '/info' })
  const { SecurityOptions, Rootless } = info ?? {}
  const has = (pattern: RegExp) => (SecurityOptions ?? []).some((option) => pattern.test(option))
  return {
    isRootless: Rootless === true || has(/^name=rootless\b/),
    hasSeccomp: has(/^name=seccomp,profile=(default|builtin)$/),
  }
}

interface DockerSandboxOptions {
  readonly network: string
  /** The engine applies its default seccomp profile. */
  readonly hasSeccomp: boolean
  /** Paths of this machine that containers mount. */
  readonly places: readonly string[]
  /** What workspace mode has to mount, or why it cannot. */
  inside(): MadeMounts
  close(): Promise<void>
}

/** Confines every mode: a container has only the workspace and `[docker] mounts` of the host, read-only in read mode. */
export function dockerSandbox(options: DockerSandboxOptions): Sandbox {
  return {
    ownTmp: true,
    confine({ network: wanted, changes, privateTmp }) {
      refuseHosts(wanted, hostsNeed.docker)
      const mounts = changes ? options.inside() : []
      if ('missing' in mounts) refuseChanges(changes, workspaceInContainer(mounts.missing))
      const { network, places } = options
      return {
        kind: 'container',
        fresh: privateTmp,
        changes: changes && shownOf(changes, places),
        network: network !== 'none',
      }
    },
    enforcement: ({ changes, privateTmp }) => ({
      'file contents': held(dockerNotes.files),
      'file metadata': held(),
      ...always(options),
      ...(changes && workspaceEnforcement(shownOf(changes, options.places))),
      survivors: held(dockerNotes.survivors),
      ...(privateTmp && { 'private tmp': held(dockerNotes.privateTmp) }),
    }),
    writeEnforcement: () => ({
      'file contents': notEnforced(dockerNotes.workspaceOpen),
      'file metadata': notEnforced(dockerNotes.workspaceOpen),
      ...always(options),
      survivors: notEnforced(dockerNotes.background),
    }),
    close: options.close,
  }
}

/** Drops the roots of `[workspace] writable` that the container does not mount. */
function shownOf({ roots, ...kept }: Changes, places: readonly string[]): Changes {
  const [workspace, ...others] = roots
  const shown = others.filter((root) => places.some((place) => isBeneath(root, place)))
  return { roots: [workspace, ...shown], ...kept }
}

function workspaceEnforcement(changes: Changes): Enforcement {
  const by = 'landlock+seccomp listener'
  return {
    'file contents': enforced(by, workspaceNotes.beside),
    'file metadata': enforced(by, workspaceNotes.beside),
    workspace: enforced(by, workspaceNotes.changes(changes)),
    'unix sockets': enforced(by),
    'denial reports': enforced('seccomp listener'),
  }
}

function always({ network, hasSeccomp }: DockerSandboxOptions): Enforcement {
  const profile = hasSeccomp ? held(dockerNotes.seccomp) : notEnforced(dockerNotes.noSeccomp)
  return {
    reads: held(dockerNotes.reads),
    unreadable: notEnforced(dockerNotes.unreadable),
    'device nodes': held(),
    locks: notEnforced(dockerNotes.locks),
    network: network === 'none' ? held() : notEnforced(dockerNotes.network(network)),
    'unix sockets': notEnforced(dockerNotes.sockets),
    signals: held(),
    'other processes': held(),
    ipc: held(),
    keys: profile,
    namespaces: profile,
    system: held(),
    terminals: held(),
    descriptors: held(),
    'death of the host': held(dockerNotes.hostDeath),
    'denial reports': notEnforced(dockerNotes.reports),
  }
}

function held(note?: string): RightEnforcement {
  return enforced('container', note)
}
