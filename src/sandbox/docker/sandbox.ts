import type { Enforcement, RightEnforcement } from '../../base/types.ts'
import { dockerNotes } from '../../messages/docker.ts'
import { workspaceElsewhere } from '../../messages/workspace.ts'
import { enforced, notEnforced } from '../enforcement.ts'
import type { Sandbox } from '../sandbox.ts'
import { refuseChanges } from '../unavailable.ts'

export interface DockerSandboxOptions {
  readonly network: string
  readonly writableRoot: boolean
  close(): Promise<void>
}

/** Confines read and write mode: of the host it has only workspace and `[docker] mounts`, read-only in read mode. */
export function dockerSandbox(options: DockerSandboxOptions): Sandbox {
  return {
    ownTmp: true,
    confine({ changes, privateTmp }) {
      refuseChanges(changes, workspaceElsewhere.docker)
      return { kind: 'container', fresh: privateTmp }
    },
    enforcement: ({ privateTmp }) => ({
      'file contents': held(options.writableRoot ? dockerNotes.writableRoot : dockerNotes.files),
      'file metadata': held(),
      ...always(options),
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

function always({ network }: DockerSandboxOptions): Enforcement {
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
    keys: held(dockerNotes.seccomp),
    namespaces: held(dockerNotes.seccomp),
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
