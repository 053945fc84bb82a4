import { isBeneath } from '../../base/paths.ts'
import type { Enforcement, RightEnforcement } from '../../base/types.ts'
import { dockerNotes } from '../../messages/docker.ts'
import { hostsNeed } from '../../messages/sandbox/network.ts'
import { workspaceNotes } from '../../messages/sandbox/notes.ts'
import { workspaceInContainer } from '../../messages/workspace.ts'
import { enforced, notEnforced, refuseChanges, refuseHosts } from '../enforcement.ts'
import type { Changes, Sandbox } from '../sandbox.ts'
import type { MadeMounts } from './node-mounts.ts'

export interface DockerSandboxOptions {
  readonly network: string
  readonly writableRoot: boolean
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
      'file contents': held(options.writableRoot ? dockerNotes.writableRoot : dockerNotes.files),
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
