import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as v from 'valibot'
import { codedError, errorCode, errorReason, tried } from '../base/errno.ts'
import { makeDirectories, replaceFile } from '../base/files.ts'
import { type Environment, modes } from '../base/types.ts'
import { thisHost } from '../host/host.ts'
import { isDefinitionOf } from '../policy/functions.ts'
import { refuseRequest } from '../request/fields.ts'
import type { SessionState } from '../request/state.ts'
import { isDeclarationOf } from '../run/session/listing.ts'
import { checkScratchpadName, ownState } from '../scratchpad/session.ts'
import { lockOf } from './recorder.ts'

/** As saved outputs. */
const maxAgeMs = 7 * 86_400_000
/** A waiting process looks so often. */
const lockPollMs = 30
/** Twice what a shell can leave, which JSON escapes. */
const maxBytes = 8 * 1024 * 1024

/** A session that several processes go on with, one at a time. The kernel releases its lock at the end of a process, however that ends. */
export class SessionFile {
  /** Undefined: there is none yet. */
  readonly state: SessionState | undefined
  readonly #path: string
  readonly #lock: number

  private constructor(path: string, lock: number, state: SessionState | undefined) {
    this.#path = path
    this.#lock = lock
    this.state = state
  }

  /** Waits until no other process has the session. Throws INVALID_REQUEST for a name or a file that is none. */
  static async open(name: string, env: Environment): Promise<SessionFile> {
    checkScratchpadName(name, 'session')
    const directory = join(ownState(env), 'sessions')
    makeDirectories(directory, 0o700)
    checkOwn(directory)
    removeOld(directory)
    const path = join(directory, `${name}.json`)
    const lock = await lockedAt(join(directory, `${name}.lock`))
    try {
      return new SessionFile(path, lock, readState(path))
    } catch (error) {
      closeSync(lock)
      throw error
    }
  }

  /** Readers see the old state or the new one. */
  save(state: SessionState): void {
    replaceFile(this.#path, `${JSON.stringify(state)}\n`, 0o600)
  }

  close(): void {
    closeSync(this.#lock)
  }
}

/** Who could write there could choose what the next command of the session runs. */
function checkOwn(directory: string): void {
  const { uid, mode } = lstatSync(directory)
  const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
  if (!lstatSync(directory).isDirectory() || !isOwn)
    refuse(
      `Sessions are kept in ${directory}, which other users can reach. Remove it, or make it yours alone (chmod 700).`,
    )
}

function refuse(detail: string): never {
  return refuseRequest({ kind: 'usage', detail })
}

async function lockedAt(path: string): Promise<number> {
  const take = lockOf(thisHost())
  if (!take)
    return refuse(
      'A session that several processes go on with needs file locks, which this system has only with the native addon.',
    )
  for (;;) {
    const lock = take(path)
    if (lock !== undefined) return lock
    await setTimeout(lockPollMs)
  }
}

/** An empty lock file stays: who waits for it must find it. */
function removeOld(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    const found = name.endsWith('.json') ? lstatSync(path, { throwIfNoEntry: false }) : undefined
    if (found && Date.now() - found.mtimeMs > maxAgeMs) tried(() => unlinkSync(path))
  }
}

function readState(path: string): SessionState | undefined {
  let text: string
  try {
    text = readRegular(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    return refuse(
      `The session's file ${path} cannot be read (${errorReason(error)}). Remove it, and the session begins anew.`,
    )
  }
  const read = tried(() => v.parse(stateSchema(), JSON.parse(text)))
  return (
    read ??
    refuse(
      `The session's file ${path} is not what vitrine has written. Remove it, and the session begins anew.`,
    )
  )
}

/** A regular file of ours: no link, no pipe that would hold us, and not too large. */
function readRegular(path: string): string {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const found = fstatSync(fd)
    const isOwn = process.getuid === undefined || found.uid === process.getuid()
    if (!found.isFile() || !isOwn || found.size > maxBytes) throw codedError('EINVAL')
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

const NAME = /^[A-Za-z_]\w*$/
const name = v.pipe(v.string(), v.regex(NAME))
const nul = v.check((text: string) => !text.includes('\0'))
const text = v.pipe(v.string(), nul)
const texts = v.record(name, text)
const line = v.pipe(text, v.regex(/^[^\n]*$/))

/** Texts of which each is just what its name says. */
function named(key: v.GenericSchema<string, string>, isOf: (text: string, name: string) => boolean) {
  const each = (all: Record<string, string>) => Object.entries(all).every(([key, value]) => isOf(value, key))
  return v.pipe(v.record(key, text), v.check(each))
}

/** What is in it becomes shell text: names are names, and words are quoted. */
const stateSchema = () =>
  v.strictObject({
    cwd: v.pipe(text, v.startsWith('/')),
    umask: v.nullable(v.pipe(v.string(), v.regex(/^[0-7]{3,4}$/))),
    env: v.record(name, v.nullable(text)),
    variables: texts,
    declarations: named(name, isDeclarationOf),
    options: v.array(v.pipe(line, v.regex(/^(?:set [-+]o|shopt -[su]) \w+$/))),
    functions: named(line, isDefinitionOf),
    exported: v.array(v.pipe(v.string(), v.regex(/^[\w:.+@-]+$/))),
    aliases: v.record(v.pipe(v.string(), v.regex(/^[\w.,:%+@-]+$/)), text),
    shell: v.nullable(v.picklist(['dash', 'bash'])),
    mode: v.nullable(v.picklist(modes)),
  })
