import { accessSync, constants, lstatSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { errorCode } from '../base/errno.ts'
import { makeDirectories } from '../base/files.ts'
import { baseDirectory } from '../base/paths.ts'
import { pidNamespace, signalled } from '../base/process.ts'
import type { Environment } from '../base/types.ts'
import { isString, kindOf, refuseValue } from '../request/fields.ts'

/** Milliseconds after its last change that a foreign session counts as in use. */
const foreignUseMs = 3_600_000

/** Unique by start time, owner and a random part. */
export function makeSessionName(): string {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const began = new Date().toISOString().replace(/[^0-9TZ]/g, '')
  return `${began}-${process.pid}-${thisProcessHost()}-${randomBytes(4).toString('hex')}`
}

/** True if the session's process may still write. On another machine or in another container, age decides. */
export function isInUse(session: string, changedMs: number): boolean {
  const [, pid, host] = /^[0-9TZ]+-(\d+)-([0-9a-f]{8})-[0-9a-f]{8}$/.exec(session) ?? []
  if (pid === undefined) return false // not a name of makeSessionName
  return host === thisProcessHost() ? signalled(Number(pid), 0) : Date.now() - changedMs < foreignUseMs
}

let host: string | undefined

/** The machine and the PID namespace in which our process id is valid. */
function thisProcessHost(): string {
  // Loaded late: most commands save nothing.
  const { createHash } = process.getBuiltinModule('node:crypto')
  host ??= createHash('sha256').update(`${hostname()} ${pidNamespace()}`).digest('hex').slice(0, 8)
  return host
}

export function scratchpadRoots(environment: Environment): readonly string[] {
  const temporary = temporaryRoot(environment)
  return isOwn(temporary) ? [stateRoot(environment), temporary] : [stateRoot(environment)]
}

/** Makes it in the state directory, else in the temporary one, and returns which. Throws with the reason for each. */
export function makeSession(environment: Environment, session: string): string {
  const state = stateRoot(environment)
  const notState = whyNotMade(state, session)
  if (notState === undefined) return state
  const temporary = temporaryRoot(environment)
  const notTemporary = whyNotMade(temporary, session)
  if (notTemporary === undefined && isOwn(temporary)) return temporary
  const why = notTemporary ?? 'it is not a directory that only you can write to'
  throw new Error(`${state}: ${notState}; ${temporary}: ${why}`)
}

/** `$XDG_STATE_HOME/vitrine/scratchpad`. */
export function stateRoot(environment: Environment): string {
  return join(ownState(environment), 'scratchpad')
}

/** What is known of the repositories of workspaces: `$XDG_STATE_HOME/vitrine/repositories`. */
export function repositoriesRoot(environment: Environment): string {
  return join(ownState(environment), 'repositories')
}

/** `$XDG_STATE_HOME/vitrine`. */
export function ownState(environment: Environment): string {
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

const validName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** Longer than a valid name: a taken one gets a suffix. */
const storedName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/

/** Throws INVALID_REQUEST for a name that could traverse paths or that file systems reject. */
export function checkScratchpadName(name: unknown): void {
  if (isString(name) && validName.test(name)) return
  refuseValue(
    'scratchpad',
    '1 to 64 letters, digits, dots, dashes or underscores, the first a letter or digit',
    kindOf(name),
  )
}

export function isStoredName(name: unknown): boolean {
  return isString(name) && storedName.test(name)
}
