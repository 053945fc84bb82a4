import { accessSync, constants, lstatSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { errorCode } from '../base/errno.ts'
import { makeDirectories } from '../base/files.ts'
import { baseDirectory } from '../base/paths.ts'
import type { Environment } from '../base/types.ts'
import { notOwned } from '../messages/scratchpad.ts'

export function scratchpadRoots(environment: Environment): readonly string[] {
  const temporary = temporaryRoot(environment)
  return isOwn(temporary) ? [stateRoot(environment), temporary] : [stateRoot(environment)]
}

/** In the state directory, else in the temporary one. Throws with the reason for each. */
export function makeSession(environment: Environment, session: string): { readonly root: string } {
  const state = stateRoot(environment)
  const notState = whyNotMade(state, session)
  if (notState === undefined) return { root: state }
  const temporary = temporaryRoot(environment)
  const notTemporary = whyNotMade(temporary, session) ?? (isOwn(temporary) ? undefined : notOwned)
  if (notTemporary === undefined) return { root: temporary }
  throw new Error(`${state}: ${notState}; ${temporary}: ${notTemporary}`)
}

/** `$XDG_STATE_HOME/vitrine/scratchpad`. */
export function stateRoot(environment: Environment): string {
  return join(ownState(environment), 'scratchpad')
}

/** What is known of the repositories of workspaces: `$XDG_STATE_HOME/vitrine/repositories`. */
export function repositoriesRoot(environment: Environment): string {
  return join(ownState(environment), 'repositories')
}

function ownState(environment: Environment): string {
  return join(baseDirectory(environment, 'XDG_STATE_HOME'), 'vitrine')
}

/** The user's own directory in the temporary one. */
function temporaryRoot(environment: Environment): string {
  const configured = environment['TMPDIR']
  const temporary = configured !== undefined && isAbsolute(configured) ? configured : tmpdir()
  return join(temporary, `vitrine-scratchpad-${process.getuid?.() ?? 'user'}`)
}

/** The error code if the directory cannot be made and written to. */
function whyNotMade(root: string, session: string): string | undefined {
  const directory = join(root, session)
  try {
    makeDirectories(directory, 0o700)
    accessSync(directory, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    return code
  }
}

/** True if no other user made or can change it: the temporary directory is writable by all. */
function isOwn(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return false
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0)
}
