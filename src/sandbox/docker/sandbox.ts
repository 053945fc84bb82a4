import type { Enforcement, RightEnforcement } from '../../base/types.ts'
import { dockerNotes } from '../../messages/docker.ts'
import type { Sandbox } from '../sandbox.ts'

export interface DockerSandboxOptions {
  /** The engine's name for it. */
  readonly network: string
  readonly writableRoot: boolean
  close(): Promise<void>
}

/**
 * A container confines commands in both modes: the only host files in it are the workspace and
 * `[docker] mounts`, which read mode mounts read-only.
 */
export function dockerSandbox(options: DockerSandboxOptions): Sandbox {
  return {
    ownTmp: true,
    confine: ({ privateTmp }) => ({ kind: 'container', fresh: privateTmp }),
    enforcement: ({ privateTmp }) => ({
      'file contents': held(options.writableRoot ? dockerNotes.writableRoot : dockerNotes.files),
      'file metadata': held(),
      ...always(options),
      survivors: held(dockerNotes.survivors),
      ...(privateTmp && { 'private tmp': held(dockerNotes.privateTmp) }),
    }),
    writeEnforcement: () => ({
      'file contents': open(dockerNotes.workspaceOpen),
      'file metadata': open(dockerNotes.workspaceOpen),
      ...always(options),
      survivors: open(dockerNotes.background),
    }),
    close: options.close,
  }
}

function always({ network }: DockerSandboxOptions): Enforcement {
  return {
    reads: held(dockerNotes.reads),
    unreadable: open(dockerNotes.unreadable),
    'device nodes': held(),
    locks: open(dockerNotes.locks),
    network: network === 'none' ? held() : open(dockerNotes.network(network)),
    'unix sockets': open(dockerNotes.sockets),
    signals: held(),
    'other processes': held(),
    ipc: held(),
    keys: held(dockerNotes.seccomp),
    namespaces: held(dockerNotes.seccomp),
    system: held(),
    terminals: held(),
    descriptors: held(),
    'death of the host': held(dockerNotes.hostDeath),
    'denial reports': open(dockerNotes.reports),
  }
}

function held(note?: string): RightEnforcement {
  return note === undefined ? { enforced: true, by: 'container' } : { enforced: true, by: 'container', note }
}

function open(note: string): RightEnforcement {
  return { enforced: false, by: 'none', note }
}
