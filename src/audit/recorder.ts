import { lstatSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import type { Admitted, HostAnswer, ProtectedAnswer } from '../admit/admission.ts'
import { errorText, tried } from '../base/errno.ts'
import { isBeneath } from '../base/paths.ts'
import type { AuditFault } from '../base/refusal.ts'
import type {
  AnyResult,
  ApprovalRecord,
  Connection,
  Decision,
  Environment,
  Mode,
  Outcome,
} from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import { badSetting } from '../config/origin.ts'
import type { Config } from '../config/schema.ts'
import type { Host } from '../host/host.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import { lostLine } from '../messages/refusal.ts'
import { temporaryOf } from '../sandbox/private-tmp.ts'
import { AuditLog, type TakeLock, takeByFlock, takeByOpen } from './log.ts'
import { type Redact, redactor } from './secrets.ts'

/** Where commands begin, and what their environments come from: values of its secrets are redacted. */
interface Place {
  readonly cwd: string
  readonly env: Environment
}

/** Throws CONFIG_INVALID, AUDIT_FAILED. */
export async function makeRecorder(host: Host, loaded: LoadedConfig, place: Place): Promise<Recorder> {
  const { path } = loaded.config.audit
  await checkSettings(loaded, join(temporaryOf(place.env), `vitrine-${process.geteuid?.() ?? ''}`))
  const takeLock = lockOf(host)
  if (!takeLock) throw new VitrineError({ code: 'AUDIT_FAILED', path, step: 'lock', reason: 'no-locks' })
  return new Recorder(loaded.config, place, takeLock)
}

/**
 * Rejects settings that can never work.
 * @param privateParent the parent of private directories, which commands can write to
 */
async function checkSettings(loaded: LoadedConfig, privateParent: string): Promise<void> {
  const { path } = loaded.config.audit
  if (path === '')
    throw await badSetting(
      loaded,
      'audit.required',
      'false, or a path beside it',
      'true without [audit] path',
    )
  if (tried(() => lstatSync(path))?.isFile() === false)
    throw await badSetting(loaded, 'audit.path', 'a regular file, or a path that does not exist yet', path)
  if (isBeneath(path, privateParent))
    throw await badSetting(
      loaded,
      'audit.path',
      `a path outside of ${privateParent}, where commands can write`,
      path,
    )
}

/** On Linux only with the addon. */
function lockOf({ platform, name, addon }: Host): TakeLock | undefined {
  if (platform === 'linux') return 'missing' in addon ? undefined : takeByFlock(addon.lock)
  if (platform === 'windows') return takeByOpen(0x1000_0000)
  return platform === 'macos' || name?.endsWith('bsd') ? takeByOpen(0x20) : undefined
}

/** What a command's line says besides what was asked, in its order; null: not applicable. docs/audit.md describes the fields. */
const nothing = {
  decision: null,
  approval: null,
  outcome: 'refused',
  refusal: null,
  exitCode: null,
  signal: null,
  limited: null,
  denials: [],
  handoffs: [],
  protected: [],
  hosts: [],
  bytes: null,
  scratchpad: null,
  survivorsKilled: null,
  background: null,
  durationMs: null,
} as const

type Ending = { readonly [Field in keyof typeof nothing | 'mode' | 'backend']?: unknown } & {
  readonly outcome: Outcome['kind'] | 'refused' | 'not-started'
}

/** The log of one shell. */
export class Recorder {
  readonly #config: Config
  readonly #cwd: string
  readonly #log: AuditLog
  readonly #author = { host: hostname(), user: userName(), pid: process.pid }
  readonly #redact: Redact
  /** If the log is required: lines that could not be written. No command runs until they are. */
  #owed = ''

  constructor(config: Config, { cwd, env }: Place, takeLock: TakeLock) {
    const { path, max_bytes: maxBytes } = config.audit
    this.#config = config
    this.#cwd = cwd
    this.#log = new AuditLog({ path, maxBytes, takeLock })
    this.#redact = redactor(env, config.env.set)
  }

  /** Before the decision. Throws AUDIT_FAILED if the log is required and cannot be written. */
  async begin(request: unknown, mode: Mode, session: string): Promise<AuditEntry> {
    const time = new Date().toISOString()
    const asked = this.#asked(request, mode)
    if (this.#config.audit.required) {
      await this.#write('')
      await this.#log.check()
    }
    // Fields may be added; none is removed or changes its meaning within a version.
    const event = Object(request).event === 'file' ? 'file' : 'command'
    const command = { version: 1, event, time, ...this.#author, session }
    return new AuditEntry((ending, connections) =>
      this.#record([
        { ...command, ...this.#redact({ ...asked, ...nothing, ...ending }) },
        ...connections.map((one) => ({ ...command, event: 'connection', connection: this.#redact(one) })),
      ]),
    )
  }

  /** Returns the reason if the lines of a finished command could not be written. They are written together. */
  async #record(lines: readonly object[]): Promise<AuditFault | undefined> {
    try {
      await this.#write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      return undefined
    } catch (error) {
      if (isVitrineError(error) && error.refusal.code === 'AUDIT_FAILED') return error.refusal
      throw error
    }
  }

  async #write(more: string): Promise<void> {
    const text = this.#owed + more
    this.#owed = ''
    try {
      if (text !== '') await this.#log.append(text)
    } catch (error) {
      if (this.#config.audit.required) this.#owed = text + this.#owed
      throw error
    }
  }

  /** As it was asked for. A request of the wrong type is refused later, and its line says so. */
  #asked(request: unknown, mode: Mode) {
    const { command, argv, cwd }: Readonly<Record<string, unknown>> = Object(request)
    return {
      mode,
      backend: this.#config.shell.backend,
      cwd: typeof cwd === 'string' ? resolve(this.#cwd, cwd) : this.#cwd,
      command: typeof command === 'string' ? command : null,
      argv: Array.isArray(argv) ? argv.map((word) => (typeof word === 'string' ? word : typeof word)) : null,
    }
  }
}

interface Answers {
  readonly answers: readonly ProtectedAnswer[]
  readonly hostAnswers: readonly HostAnswer[]
}

type Write = (ending: Ending, connections: readonly Connection[]) => Promise<AuditFault | undefined>

export class AuditEntry {
  readonly #record: Write
  #admission: Admitted | undefined
  #written = false

  constructor(record: Write) {
    this.#record = record
  }

  admitted(admission: Admitted): void {
    this.#admission = admission
  }

  /** Writes the lines of a command that has ended. The result says if that failed. */
  async ended(result: AnyResult, asked: Answers): Promise<AnyResult> {
    const given = { protected: asked.answers, hosts: asked.hostAnswers }
    const ending = { ...endingOf(result, this.#admission?.approval), ...given }
    const lost = await this.#write(ending, result.connections)
    if (!lost) return result
    return { ...result, hint: [result.hint, lostLine(lost)].filter(Boolean).join(' ') }
  }

  /** Writes an error as a refusal, unless the line is written already. If that fails, the error's message says so. */
  async refused(error: unknown, signal?: AbortSignal): Promise<void> {
    if (this.#written) return
    const refusal = refusalOf(error, signal)
    const lost = await this.#write({ ...this.#decided(error), outcome: 'refused', refusal })
    if (!lost) return
    if (isVitrineError(error)) error.auditFault = lost
    Reflect.set(Object(error), 'message', `${errorText(error)} ${lostLine(lost)}`)
  }

  /** Writes the line of a command that was never launched, unless one is written. */
  async close(): Promise<void> {
    if (!this.#written) await this.#write({ ...this.#decided(undefined), outcome: 'not-started' })
  }

  #write(ending: Ending, connections: readonly Connection[] = []): Promise<AuditFault | undefined> {
    this.#written = true
    return this.#record(ending, connections)
  }

  #decided(error: unknown) {
    const refusal = isVitrineError(error) ? error.refusal : undefined
    const decision = refusal && 'decision' in refusal ? refusal.decision : this.#admission?.decision
    const approval = refusal && 'approval' in refusal ? refusal.approval : this.#admission?.approval
    return { decision: decision ? decided(decision) : null, approval: approval ?? null }
  }
}

function endingOf(result: AnyResult, approval: ApprovalRecord | undefined): Ending {
  const { exitCode, signal, denials, handoffs, bytes, survivorsKilled, durationMs } = result
  return {
    decision: decided(result.decision),
    approval: approval ?? null,
    outcome: result.outcome.kind,
    ...{ exitCode, signal, denials, handoffs, bytes, survivorsKilled },
    ...{ mode: result.mode, backend: result.backend },
    limited: result.limited ?? null,
    scratchpad: result.scratchpad?.path ?? null,
    background: result.background?.count ?? null,
    durationMs: Math.round(durationMs),
  }
}

function decided({ verdict, reason, matches, held }: Decision): object {
  return { verdict, reason, held: held === true, rules: matches }
}

/** An error other than a refusal is a bug, or the reason of the call's aborted signal, which can be any value. */
function refusalOf(error: unknown, signal: AbortSignal | undefined): object {
  if (isVitrineError(error)) return { code: error.code, message: error.message }
  // The signal of a polyfill may have no reason.
  const aborted = signal?.aborted === true && (signal.reason === error || Object(error).name === 'AbortError')
  return { code: aborted ? 'ABORTED' : 'INTERNAL', message: errorText(error) }
}

/** In many containers the user id has no name. */
function userName(): string {
  return tried(() => userInfo())?.username ?? String(process.getuid?.() ?? '')
}
