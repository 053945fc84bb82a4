import { existsSync } from 'node:fs'
import { errnoName } from '../base/errno.ts'
import type { Environment } from '../base/types.ts'
import { unavailable } from '../messages/error.ts'
import { scarcityRemedy } from '../messages/limits.ts'
import {
  type Confinement,
  cannotConfine,
  type LandlockConfinement,
  type PrivateDirectories,
  type PrivateDirectory,
} from './sandbox.ts'

/** The addon's part on Linux: native/core.h, struct vt_private. */
export interface PrivateTmpAddon {
  makePrivate(
    temporary: string,
  ):
    | { readonly path: string; readonly keeper: unknown }
    | { readonly failedStep: string; readonly errno: number }
  /** The errno if something remains, else 0. Synchronous when the directory is empty. */
  removePrivate(keeper: unknown): Promise<number> | number
  /** Whether it is as it was made. */
  resetPrivate(keeper: unknown): boolean
  sweepPrivate(temporary: string): Promise<number>
}

/** The host's temporary directory, as os.tmpdir() would return it for this environment. */
export function temporaryOf(env: Environment): string {
  return env['TMPDIR'] || env['TMP'] || env['TEMP'] || '/tmp'
}

export const unmetPrivateTmp = {
  for: 'private-tmp',
  wanted: 'a private temporary directory ([shell] private_tmp = true, or workspace mode)',
} as const
export const useWritable = 'set TMPDIR to a directory that you can write to'

/** Overrides the configuration: nothing else is writable. */
export function privateVariables(directory: string): Readonly<Record<string, string>> {
  // TMPPREFIX is a prefix of file names, not a directory: zsh uses it for here-documents (zshparam(1)).
  return { TMPDIR: directory, TMP: directory, TEMP: directory, TMPPREFIX: `${directory}/zsh` }
}

/** Linux: the addon creates, locks and removes; Landlock grants the right to write. */
export function linuxPrivateDirectories(addon: PrivateTmpAddon): PrivateDirectories {
  // One sweep per temporary directory: removes what killed hosts left behind.
  const sweeps = new Map<string, Promise<number>>()
  const makeNew = (temporary: string) => {
    const made = addon.makePrivate(temporary)
    if ('failedStep' in made) throw unavailable(notMade(temporary, made.failedStep, errnoName(made.errno)))
    const swept = sweeps.get(temporary) ?? addon.sweepPrivate(temporary)
    sweeps.set(temporary, swept)
    const discard = () => addon.removePrivate(made.keeper)
    const directory: SpareDirectory = {
      temporary,
      path: made.path,
      discard,
      async remove(spare) {
        const isSpare = spare && addon.resetPrivate(made.keeper)
        if (isSpare) keepSpare(directory)
        const errno = (isSpare ? 0 : await discard()) || (await swept)
        return errno === 0 ? undefined : errnoName(errno)
      },
    }
    return directory
  }
  return { make: (temporary) => takeSpare(temporary) ?? makeNew(temporary), grant: writing }
}

function writing(confinement: Confinement, directory: string): LandlockConfinement {
  if (confinement.kind !== 'landlock') throw cannotConfine('private tmp', confinement.kind)
  const { changes } = confinement
  return {
    ...confinement,
    writable: [...confinement.writable, directory],
    // So that files can be moved from there into the workspace.
    changes: changes && { ...changes, roots: [...changes.roots, directory] },
  }
}

/** @param step of the addon: native/core.h, enum vt_private_step */
function notMade(temporary: string, step: string, errno: string) {
  const own = `${temporary}/vitrine-${process.geteuid?.() ?? ''}`
  const useOwn = 'set TMPDIR to a directory of your own'
  const reasons: Readonly<Record<string, readonly [got: string, remedy: string]>> = {
    temporary: [`${temporary} cannot be opened: ${errno}`, 'set TMPDIR to an existing directory'],
    unsafe: [
      `other users can rename files in ${temporary}: they can write to it and it has no sticky bit, or one of them owns it`,
      `run chmod +t ${temporary}, or ${useOwn}`,
    ],
    parent: [`${own} cannot be created or opened: ${errno}`, useWritable],
    foreign: [
      `${own} is not a directory that only you can enter`,
      `check what it is; then remove it or run chmod 700 on it, or ${useOwn}`,
    ],
    directory: [`no directory can be created in ${own}: ${errno}`, 'free space there, or set TMPDIR'],
    lock: [`a directory in ${own} cannot be locked: ${errno}`, 'set TMPDIR to a local file system'],
  }
  const [got, remedy] = reasons[step] ?? [errno, useOwn]
  // A lock that is held is EAGAIN, too.
  const scarce = step === 'lock' ? undefined : scarcityRemedy(errno)
  return { ...unmetPrivateTmp, got, remedy: scarce ?? remedy }
}

/** A private directory that can serve more than one command: making and removing one can take longer than starting a command. */
interface SpareDirectory extends PrivateDirectory {
  readonly temporary: string
  discard(): unknown
}

/** Milliseconds after the last command until all are removed: an idle host keeps none. */
const idleMs = 1000
const most = 4

const spares: SpareDirectory[] = []
let idle: NodeJS.Timeout | undefined

function keepSpare(spare: SpareDirectory): void {
  if (!idle) process.once('exit', removeSpares)
  idle = idle?.refresh() ?? setTimeout(removeSpares, idleMs).unref()
  spares.push(spare)
  if (spares.length > most) spares.shift()?.discard()
}

function takeSpare(temporary: string): SpareDirectory | undefined {
  const at = spares.findLastIndex((spare) => spare.temporary === temporary)
  const [spare] = at < 0 ? [] : spares.splice(at, 1)
  if (!spare || existsSync(spare.path)) return spare
  spare.discard() // something removed it meanwhile
  return undefined
}

export function removeSpares(): void {
  for (const spare of spares.splice(0)) spare.discard()
}
