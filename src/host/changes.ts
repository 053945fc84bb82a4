import { dirname } from 'node:path'
import { homeOf, isBeneath } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { realDirectory, userConfigFile } from '../config/files.ts'
import type { LoadedConfig } from '../config/load.ts'
import { VitrineError } from '../messages/error.ts'
import { unfitRoot } from '../messages/workspace.ts'
import type { Changes } from '../sandbox/sandbox.ts'
import { type ChangesWanted, changesFor, tooWide } from '../sandbox/workspace/changes.ts'
import { stateRoot } from '../scratchpad/directory.ts'
import { workspaceOf } from './readable.ts'

/**
 * What commands of workspace mode may change, as of each call, which throws SANDBOX_UNAVAILABLE if a directory cannot be
 * opened to them. The directories are resolved once: a link that later replaces one must not lead commands elsewhere.
 */
export function changesIn(
  loaded: LoadedConfig,
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): () => Changes {
  const { writable, protected: given } = loaded.config.workspace
  const { workspace } = workspaceOf(loaded, cwd)
  const wanted = { workspace, writable: writable.map(realDirectory), protected: given, own: ownOf(env) }
  return () => {
    const changes = changesFor(wanted)
    if ('why' in changes) throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', ...unfitRoot(changes) })
    return changes
  }
}

/** Whether `[workspace] writable` may name a directory. Without a look at it, as its file system may not answer. */
export function mayOpen(directory: string, env: Environment): boolean {
  const isKernel = directory === '/dev' || ['/proc', '/sys'].some((path) => isBeneath(directory, path))
  return !isKernel && !tooWide(directory, ownOf(env))
}

function ownOf(env: Environment): ChangesWanted['own'] {
  return {
    home: realDirectory(homeOf(env)),
    others: [userConfigFile(env), stateRoot(env)].map((path) => realDirectory(dirname(path))),
  }
}
