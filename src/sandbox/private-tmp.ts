import { existsSync } from 'node:fs'
import { errnoName } from '../base/errno.ts'
import type { Environment } from '../base/types.ts'
import { unavailable, type VitrineError } from '../messages/error.ts'
import { cannotConfine } from '../messages/platform.ts'
import { privateTmpFailed } from '../messages/private-tmp.ts'
import type { Confinement, LandlockConfinement, PrivateDirectories, PrivateDirectory } from './sandbox.ts'

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

/** Overrides the configuration: nothing else is writable. */
export function privateVariables(directory: string): Readonly<Record<string, string>> {
  // TMPPREFIX is a prefix of file names, not a directory: zsh uses it for here-documents (zshparam(1)).
  return { TMPDIR: directory, TMP: directory, TEMP: directory, TMPPREFIX: `${directory}/zsh` }
}

/** Linux: the addon creates, locks and removes; Landlock grants the right to write. */
export function linuxPrivateDirectories(addon: PrivateTmpAddon): PrivateDirectories {
  // One sweep per temporary directory: removes what killed hosts left behind.
  const sweeps = new Map<string, Promise<number>>()
  return {
    make(temporary) {
      const spare = takeSpare(temporary)
      if (spare) return spare
      const made = addon.makePrivate(temporary)
      if ('failedStep' in made) throw refusal(temporary, made.failedStep, made.errno)
      const swept = sweeps.get(temporary) ?? addon.sweepPrivate(temporary)
      sweeps.set(temporary, swept)
      return directoryOf(addon, { temporary, swept, ...made })
    },
    grant: writing,
  }
}

interface Made {
  readonly temporary: string
  readonly path: string
  readonly keeper: unknown
  readonly swept: Promise<number>
}

function directoryOf(addon: PrivateTmpAddon, { temporary, path, keeper, swept }: Made): SpareDirectory {
  const discard = () => addon.removePrivate(keeper)
  const directory: SpareDirectory = {
    temporary,
    path,
    discard,
    async remove(spare) {
      const isSpare = spare && addon.resetPrivate(keeper)
      if (isSpare) keepSpare(directory)
      const errno = (isSpare ? 0 : await discard()) || (await swept)
      return errno === 0 ? undefined : errnoName(errno)
    },
  }
  return directory
}

function writing(confinement: Confinement, directory: string): LandlockConfinement {
  if (confinement.kind !== 'landlock') throw new Error(cannotConfine('private tmp', confinement.kind))
  const { changes } = confinement
  return {
    ...confinement,
    writable: [...confinement.writable, directory],
    // So that files can be moved from there into the workspace.
    changes: changes && { ...changes, roots: [...changes.roots, directory] },
  }
}

function refusal(temporary: string, failedStep: string, errno: number): VitrineError {
  const own = `${temporary}/vitrine-${process.geteuid?.() ?? ''}`
  return unavailable(privateTmpFailed(temporary, own, failedStep, errnoName(errno)))
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
