import { isBeneath } from '../../base/paths.ts'
import type { Enforcement, RightEnforcement } from '../../base/types.ts'
import {
  enforced,
  notEnforced,
  outputOnly,
  readableLocks,
  refuseHosts,
  workspaceNotes,
} from '../enforcement.ts'
import type { Changes, Sandbox } from '../sandbox.ts'
import type { Containers } from './containers.ts'

interface DockerSandboxOptions {
  readonly network: string
  /** The engine applies its default seccomp profile. */
  readonly hasSeccomp: boolean
  /** Paths of this machine that containers mount. */
  readonly places: readonly string[]
  readonly containers: Pick<Containers, 'inside' | 'close'>
}

/** Confines every mode: a container has only the workspace and `[docker] mounts` of the host, read-only in read mode. */
export function dockerSandbox(options: DockerSandboxOptions): Sandbox {
  const { network, places, containers } = options
  return {
    ownTmp: true,
    confine({ network: wanted, changes, privateTmp }) {
      refuseHosts(wanted, 'the docker backend, whose containers without a network cannot reach the proxy')
      if (changes) containers.inside()
      return {
        kind: 'container',
        fresh: privateTmp,
        changes: changes && shownOf(changes, places),
        network: network !== 'none',
      }
    },
    enforcement: ({ changes, privateTmp }) => ({
      'file contents': held(
        'the workspace and the root are mounted read-only; /tmp, /dev/shm and the volumes of the image belong to the container. A FIFO in the workspace can be written to',
      ),
      'file metadata': held(),
      ...always(options),
      ...(changes && workspaceEnforcement(shownOf(changes, places))),
      survivors: held('remaining processes end with the container'),
      ...(privateTmp && { 'private tmp': held('each command gets a new container with an empty /tmp') }),
    }),
    writeEnforcement: () => ({
      'file contents': notEnforced(workspaceOpen),
      'file metadata': notEnforced(workspaceOpen),
      ...always(options),
      survivors: notEnforced('write mode: background processes live until the shell is closed'),
    }),
    close: () => containers.close(),
  }
}

const workspaceOpen = 'write mode: the workspace can be changed; nothing else of this machine can'

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
  const profile = hasSeccomp
    ? held("by the engine's default profile")
    : notEnforced('the engine does not apply its default seccomp profile')
  return {
    reads: held('only the workspace and the image can be read'),
    unreadable: notEnforced('every file of the workspace can be read'),
    'device nodes': held(),
    locks: notEnforced(readableLocks),
    network:
      network === 'none' ? held() : notEnforced(`allowed: the container is in the network "${network}"`),
    'unix sockets': notEnforced(
      'unix sockets outside the workspace are out of reach; those inside it can be connected to',
    ),
    signals: held(),
    'other processes': held(),
    ipc: held(),
    keys: profile,
    namespaces: profile,
    system: held(),
    terminals: held(),
    descriptors: held(),
    'death of the host': held('the container ends with the connection of this process'),
    'denial reports': notEnforced(outputOnly),
  }
}

function held(note?: string): RightEnforcement {
  return enforced('container', note)
}
