import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { tried } from '../base/errno.ts'
import { isBeneath } from '../base/paths.ts'
import { visible } from '../base/text.ts'
import type { Environment, Mode } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Changes } from '../sandbox/sandbox.ts'
import { Looks } from '../sandbox/workspace/looks.ts'
import { changesIn } from './workspace.ts'

interface Gate {
  /** The directory whose workspace it is. */
  readonly cwd: string
  readonly mode: Mode
  readonly env: Environment
  readonly loaded: LoadedConfig
}

/** Why a mode does not let a file change, in words that follow its path. `asks`: the user may be asked. */
export interface FileRefusal {
  readonly reason: string
  readonly asks: boolean
}

/**
 * Judges changes of files that a program makes outside of the sandbox by what commands may change. The judged path is looked at once:
 * what is there may be another when the program comes to it. Paths are absolute. Throws SANDBOX_UNAVAILABLE for a directory that cannot be a workspace.
 */
export async function openFileGate({
  cwd,
  mode,
  env,
  loaded,
}: Gate): Promise<(path: string) => FileRefusal | undefined> {
  if (mode === 'write') return () => undefined
  if (mode === 'read') return () => ({ reason: 'read mode changes nothing', asks: false })
  const { repositories, current } = changesIn(loaded, { cwd, env, sandbox: {} })
  // As before the first command ever in a workspace.
  if (!repositories.isWalked) await repositories.walk()
  repositories.close()
  const changes = current()
  // Programs differ in whether a link before `..` counts.
  return (path) => refusalOf(path, changes) ?? refusalOf(resolve(path), changes)
}

function refusalOf(
  path: string,
  { roots, protected: kept, closed, asks = false }: Changes,
): FileRefusal | undefined {
  const looks = new Looks()
  const { end } = looks.way(path)
  if (!roots.some((root) => isBeneath(end, root)))
    return { reason: `it lies outside of the workspace, ${visible(roots[0])}`, asks: false }
  const place = [...kept, ...closed].find((each) => isKept(end, each, looks))
  return place === undefined ? undefined : { reason: `${visible(place)} is protected`, asks }
}

/** A file at a name that leads to a protected path would take its place. */
function isKept(end: string, place: string, looks: Looks): boolean {
  const real = looks.way(place).end
  return (
    [place, real].some((each) => isBeneath(end, each) || isBeneath(dirname(each), end)) ||
    areLinked(end, real)
  )
}

/** Another name of the same file: link(2). */
function areLinked(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => tried(() => statSync(path)))
  return a !== undefined && a.nlink > 1 && a.isFile() && a.ino === b?.ino && a.dev === b.dev
}
