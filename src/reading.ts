import { gitRoot, realDirectory } from './config/files.ts'
import type { LoadedConfig } from './config/load.ts'
import { VitrineError } from './errors.ts'
import { type Reads, readEverything } from './sandbox/sandbox.ts'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * What commands of a shell can read. Throws CONFIG_INVALID where no command could start any more. `env`: what the
 * commands get, and what their environment is chosen from.
 */
export async function readsOf(loaded: LoadedConfig, cwd: string, env: Variables): Promise<Reads> {
  const { reads, unreadable } = loaded.config.shell
  if (reads === 'everywhere' && unreadable.length === 0) return readEverything
  // Loaded late: most shells keep nothing from being read.
  const { readsFor, tooMuch } = await import('./sandbox/reads.ts')
  const named = loaded.config.policy.workspace
  const workspace = named === '' ? gitRoot(cwd) : realDirectory(named)
  const path = tooMuch(unreadable, workspace)
  if (path !== undefined) throw holdsTooMuch(loaded, path, workspace)
  return readsFor({ reads, unreadable, workspace, env })
}

function holdsTooMuch({ sources }: LoadedConfig, path: string, workspace: string): VitrineError {
  const wanted = `paths that hold neither the workspace (${workspace}) nor /bin/sh`
  return new VitrineError({
    code: 'CONFIG_INVALID',
    file: sources['shell.unreadable'].where,
    key: 'shell.unreadable',
    problem: { kind: 'bad-value', wanted, got: JSON.stringify(path) },
  })
}
