import { errnoName } from '../base/errno.ts'
import type { Refusal } from '../base/refusal.ts'
import type { Environment } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import type { Confinement, LandlockConfinement, PrivateDirectories } from './sandbox.ts'

/** The addon's part on Linux: native/core.h, struct vt_private. */
export interface PrivateTmpAddon {
  makePrivate(
    temporary: string,
  ):
    | { readonly path: string; readonly keeper: unknown }
    | { readonly failedStep: string; readonly errno: number }
  /** The errno if something remains, else 0. Synchronous when the directory is empty. */
  removePrivate(keeper: unknown): Promise<number> | number
  sweepPrivate(temporary: string): Promise<number>
}

/** The host's temporary directory, as os.tmpdir() would return it for this environment. */
export function temporaryOf(env: Environment): string {
  return env['TMPDIR'] || env['TMP'] || env['TEMP'] || '/tmp'
}

/**
 * Points a command's temporary files to its directory. Overrides the configuration: nothing else is writable.
 */
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
      const made = addon.makePrivate(temporary)
      if ('failedStep' in made) throw new VitrineError(refusal(temporary, made))
      const swept = sweeps.get(temporary) ?? addon.sweepPrivate(temporary)
      sweeps.set(temporary, swept)
      return {
        path: made.path,
        async remove() {
          const errno = (await addon.removePrivate(made.keeper)) || (await swept)
          return errno === 0 ? undefined : errnoName(errno)
        },
      }
    },
    grant: (confinement, directory) => writing(confinement, directory),
  }
}

function writing(confinement: Confinement, directory: string): LandlockConfinement {
  if (confinement.kind !== 'landlock')
    throw new Error(`a private directory cannot be granted in ${confinement.kind}`)
  return { ...confinement, writable: [...confinement.writable, directory] }
}

type Unavailable = Extract<Refusal, { code: 'SANDBOX_UNAVAILABLE' }>

export function withoutPrivateTmp(platform: string): VitrineError {
  return new VitrineError({
    code: 'SANDBOX_UNAVAILABLE',
    wanted: 'a private temporary directory (private_tmp = true)',
    got: `there is none on ${platform}`,
    remedy: 'set private_tmp = false',
  })
}

/** The steps are those of the addon: native/core.h, enum vt_private_step. */
function refusal(
  temporary: string,
  { failedStep, errno }: { failedStep: string; errno: number },
): Unavailable {
  const own = `${temporary}/vitrine-${process.geteuid?.() ?? ''}`
  const error = errnoName(errno)
  const words: Readonly<Record<string, readonly [got: string, remedy: string]>> = {
    temporary: [`${temporary} cannot be opened: ${error}`, 'set TMPDIR to a directory that is there'],
    unsafe: [
      `other users can rename what is in ${temporary}: they can write to it and it has no sticky bit, or one of them owns it`,
      `chmod +t ${temporary}, or set TMPDIR to a directory of your own`,
    ],
    parent: [
      `${own} can be neither made nor opened: ${error}`,
      'set TMPDIR to a directory that you can write to',
    ],
    foreign: [
      `${own} is not a directory that only you can enter`,
      `look at what it is; remove it or chmod 700 it, or set TMPDIR to a directory of your own`,
    ],
    directory: [`a directory in ${own} cannot be made: ${error}`, 'make room there, or set TMPDIR'],
    lock: [
      `a directory in ${own} cannot be locked: ${error}`,
      'set TMPDIR to a directory on a local file system',
    ],
  }
  const [got, remedy] = words[failedStep] ?? [error, 'set TMPDIR to a directory of your own']
  const wanted = 'a private temporary directory (private_tmp = true)'
  return { code: 'SANDBOX_UNAVAILABLE', wanted, got, remedy }
}
