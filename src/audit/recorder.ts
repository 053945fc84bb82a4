import { hostname, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import type { Admitted, HostAnswer, ProtectedAnswer } from '../admit/admission.ts'
import { errorText, tried } from '../base/errno.ts'
import type { AuditFault } from '../base/refusal.ts'
import type { AnyResult, ApprovalRecord, Connection, Decision, Environment, Mode } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { Host } from '../host/host.ts'
import { lostLine } from '../messages/audit.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import { temporaryOf } from '../sandbox/private-tmp.ts'
import { Audit } from './audit.ts'
import { type AuditAuthor, type AuditEnding, type AuditRequest, auditLines } from './line.ts'
import { exlockOfBsd, exlockOfWindows, flockLocker, type Locker, openLocker } from './lock.ts'
import { AuditLog } from './log.ts'
import { checkSettings } from './place.ts'
import { type Redact, redactor } from './secrets.ts'

export interface RecorderOptions {
  readonly config: Config
  readonly locker: Locker
  readonly cwd: string
  /** Commands' environments come from it; values of its secrets are redacted. */
  readonly env: Environment
}

/** Throws CONFIG_INVALID, AUDIT_FAILED. */
export async function makeRecorder(
  host: Host,
  loaded: LoadedConfig,
  { cwd, env }: Pick<RecorderOptions, 'cwd' | 'env'>,
): Promise<Recorder> {
  const { config } = loaded
  const { path } = config.audit
  await checkSettings(loaded, join(temporaryOf(env), `vitrine-${process.geteuid?.() ?? ''}`))
  const locker = lockerOf(host)
  if (!locker) throw new VitrineError({ code: 'AUDIT_FAILED', path, step: 'lock', reason: 'no-locks' })
  return new Recorder({ config, locker, cwd, env })
}

/** Locks that the kernel releases with their holder, if available: on Linux only with the addon. */
function lockerOf({ platform, name, addon }: Host): Locker | undefined {
  switch (platform) {
    case 'linux':
      return 'missing' in addon ? undefined : flockLocker(addon.lock)
    case 'windows':
      return openLocker(exlockOfWindows)
    case 'macos':
      return openLocker(exlockOfBsd)
    case 'other':
      return name?.endsWith('bsd') ? openLocker(exlockOfBsd) : undefined
  }
}

export class Recorder {
  readonly #options: RecorderOptions
  readonly #audit: Audit
  readonly #author: Omit<AuditAuthor, 'session'>
  readonly #redact: Redact

  constructor(options: RecorderOptions) {
    const { config, locker, env } = options
    const { path, required, max_bytes: maxBytes } = config.audit
    this.#options = options
    this.#audit = new Audit(new AuditLog({ path, maxBytes, locker }), required)
    this.#author = { host: hostname(), user: userName(), pid: process.pid }
    this.#redact = redactor(env, config.env.set)
  }

  /** Before the decision. Throws AUDIT_FAILED if the log is required and cannot be written. */
  async begin(request: unknown, mode: Mode, session: string): Promise<AuditEntry> {
    const asked = this.#asked(request, mode)
    const author = { ...this.#author, session }
    await this.#audit.ready()
    return new AuditEntry((ending, connections) =>
      this.#audit.record(auditLines(author, { asked, ending, connections }, this.#redact)),
    )
  }

  #asked(request: unknown, mode: Mode): AuditRequest {
    const { command, argv, cwd } = readable(request)
    return {
      time: new Date().toISOString(),
      mode,
      backend: this.#options.config.shell.backend,
      cwd: typeof cwd === 'string' ? resolve(this.#options.cwd, cwd) : this.#options.cwd,
      command: typeof command === 'string' ? command : null,
      argv: Array.isArray(argv) ? Array.from(argv, shown) : null,
    }
  }
}

/** Reads what it can; an unreadable request is refused later, and its line says so. */
function readable(request: unknown): Readonly<Record<string, unknown>> {
  const read = () => {
    const { command, argv, cwd } = Object(request)
    return { command, cwd, argv: Array.isArray(argv) ? [...argv] : undefined }
  }
  return tried(read) ?? {}
}

function shown(argument: unknown): string {
  return typeof argument === 'string' ? argument : typeof argument
}

interface Answers {
  readonly answers: readonly ProtectedAnswer[]
  readonly hostAnswers: readonly HostAnswer[]
}

type Write = (ending: AuditEnding, connections: readonly Connection[]) => Promise<AuditFault | undefined>

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

  #write(ending: AuditEnding, connections: readonly Connection[] = []): Promise<AuditFault | undefined> {
    this.#written = true
    return this.#record(ending, connections)
  }

  #decided(error: unknown): Pick<AuditEnding, 'decision' | 'approval'> {
    const refusal = isVitrineError(error) ? error.refusal : undefined
    const decision = refusal && 'decision' in refusal ? refusal.decision : this.#admission?.decision
    const approval = refusal && 'approval' in refusal ? refusal.approval : this.#admission?.approval
    return { decision: decision ? decided(decision) : null, approval: approval ?? null }
  }
}

function endingOf(result: AnyResult, approval: ApprovalRecord | undefined): AuditEnding {
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

function decided({ verdict, reason, matches, held }: Decision): AuditEnding['decision'] {
  return { verdict, reason, held: held === true, rules: matches }
}

/** An error other than a refusal is a bug, or the reason of the call's aborted signal, which can be any value. */
function refusalOf(error: unknown, signal: AbortSignal | undefined): NonNullable<AuditEnding['refusal']> {
  if (isVitrineError(error)) return { code: error.code, message: error.message }
  // The signal of a polyfill may have no reason.
  const aborted = signal?.aborted === true && (signal.reason === error || Object(error).name === 'AbortError')
  return {
    code: aborted ? 'ABORTED' : 'INTERNAL',
    message: errorText(error),
  }
}

/** In many containers the user id has no name. */
function userName(): string {
  return tried(() => userInfo())?.username ?? String(process.getuid?.() ?? '')
}
