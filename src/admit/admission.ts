import { quoted } from '../base/text.ts'
import type { ApprovalRecord, Decision } from '../base/types.ts'
import { checkNewDirectory } from '../facts/directory.ts'
import { secondLimitMs } from '../facts/silent.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import { needsReading } from '../policy/decide/quick.ts'
import type { CompleteRequest } from '../request/request.ts'
import { Approvals, isYes, type StandingApproval } from './approval/approve.ts'
import type { Approver } from './approval/approver.ts'
import type { Judge, Question, Standing } from './decider.ts'

/** A command that may run. */
export interface Admission {
  readonly decision: Decision
  /** Present when the policy asks about it. */
  readonly approval?: ApprovalRecord
  /** The policy knows that it only looks: nothing of the repository's configuration has to run for it. */
  readonly onlyLooks: boolean
  /** Milliseconds that looking at the machine took: they count towards the deadline. */
  readonly lookedMs: number
}

/** What is to be admitted, with what it reads. */
export type Entrant = Question & Pick<CompleteRequest, 'stdin' | 'terminal'>

/** What a gate decides from. */
export interface GateOptions extends Standing {
  readonly approver?: Approver | undefined
}

/** How long an answer is awaited: then it is no. */
export interface Patience {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

const heldBySandbox: Omit<Admission, 'lookedMs'> = {
  decision: { verdict: 'allow', reason: 'read mode: the operating system holds the command', matches: [] },
  onlyLooks: true,
}

/** Lets commands through: the policy decides, and what it leaves open is asked. */
export class Gate {
  readonly #options: GateOptions
  readonly #approvals: Approvals | undefined
  #judge: Promise<Judge> | undefined
  #placing: Promise<Judge> | undefined

  constructor(options: GateOptions) {
    this.#options = options
    this.#approvals = options.approver && new Approvals(options.approver)
  }

  /** Checks the rules of the configuration. Throws CONFIG_INVALID; a configuration without rules has nothing to check. */
  async ready(): Promise<void> {
    const { allow, ask, deny, rule, safe } = this.#options.loaded.config.policy
    if (allow.length + ask.length + deny.length + rule.length + safe.length > 0) await this.#judging()
  }

  /** What stands approved for the session. */
  standing(): readonly StandingApproval[] {
    return this.#approvals?.list() ?? []
  }

  /** Takes one standing approval back; without an argument all. */
  revoke(approval?: StandingApproval): void {
    this.#approvals?.revoke(approval)
  }

  async decide(question: Question): Promise<Decision> {
    const { decision } = await (await this.#judging()).decide(question)
    return this.#placed(question, decision)
  }

  /** Lets the command through, or throws INVALID_REQUEST (the directory), DENIED or NOT_APPROVED. An answer is awaited no longer than the command's deadline. */
  async admit(question: Entrant, patience: Patience): Promise<Admission> {
    const started = performance.now()
    const held =
      question.mode === 'read' && !needsReading(textOf(question), this.#options.loaded.config.policy)
    if (held) await checkNewDirectory(question.cwd, this.#options.looker)
    if (held) return { ...heldBySandbox, lookedMs: performance.now() - started }
    const judge = await this.#judging()
    const againMs = Math.min(secondLimitMs, patience.timeoutMs)
    const { decision: first, onlyLooks } = await judge.decide(question, againMs)
    const lookedMs = performance.now() - started
    const decision = first.verdict === 'allow' ? first : await this.#placed(question, first, againMs)
    if (decision.verdict === 'deny') throw new VitrineError({ code: 'DENIED', decision })
    if (decision.verdict !== 'ask') return { decision, onlyLooks, lookedMs }
    const approval = await this.#approval(question, decision, patience)
    if (!isYes(approval)) throw this.#notApproved(decision, approval)
    return { decision, approval, onlyLooks, lookedMs }
  }

  #notApproved(decision: Decision, approval: ApprovalRecord): VitrineError {
    const { source, where } = this.#options.loaded.sources['policy.unattended']
    const byProject = approval.by === 'unattended' && source === 'project'
    return new VitrineError({
      code: 'NOT_APPROVED',
      decision,
      approval,
      ...(byProject ? { setBy: where } : {}),
    })
  }

  /** With nobody to ask the caller is the approver, unless the configuration says otherwise. */
  async #approval(question: Entrant, decision: Decision, patience: Patience): Promise<ApprovalRecord> {
    if (!this.#approvals) return unattended(this.#options.loaded.config.policy.unattended)
    const { cwd, mode } = question
    const waiting = waitFor(patience)
    const { signal } = waiting
    try {
      // Imported late: node:crypto costs start-up time.
      const stdin = (await import('./approval/input.ts')).inputOf(question)
      return await this.#approvals.approves({ command: textOf(question), cwd, mode, stdin, signal }, decision)
    } finally {
      waiting.end()
    }
  }

  /** The same, with the line of each rule of the user's. Lines are looked for once, and only when somebody is told of a rule. */
  async #placed(question: Question, decision: Decision, againMs = secondLimitMs): Promise<Decision> {
    const { loaded } = this.#options
    if (!decision.matches.some(({ source }) => loaded.files.some(({ file }) => source.includes(file))))
      return decision
    this.#placing ??= import('./decider.ts').then(async ({ Judge, placesOf }) =>
      Judge.open(this.#options, await placesOf(loaded)),
    )
    try {
      return (await (await this.#placing).decide(question, againMs)).decision
    } catch (error) {
      // The file is another one than it was when it was loaded: the rules stand, and their lines are not to be told.
      if (isVitrineError(error) && error.code === 'CONFIG_INVALID') return decision
      throw error
    }
  }

  /** Imported late: most read-mode lines need no reading, and the parser costs start-up time. */
  #judging(): Promise<Judge> {
    this.#judge ??= import('./decider.ts').then(({ Judge }) => Judge.open(this.#options))
    return this.#judge
  }
}

function unattended(verdict: 'allow' | 'deny'): ApprovalRecord {
  return { by: 'unattended', asked: false, answer: verdict === 'allow' ? 'yes' : 'no', standing: null }
}

/**
 * A signal that is aborted when the time is up, or with the caller's. A timer of our own holds it: what AbortSignal.any and
 * AbortSignal.timeout make can be collected before they fire (nodejs/node#57736), and nobody would ever stop waiting.
 */
function waitFor({ timeoutMs, signal }: Patience): {
  readonly signal: AbortSignal
  readonly end: () => void
} {
  const over = new AbortController()
  const abort = () => over.abort()
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(abort, timeoutMs)
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return { signal: over.signal, end }
}

// Quoted, so that a program with its arguments is not taken for the shell line that looks the same, or the other way round.
function textOf({ work, env = {} }: Question): string {
  const variables = Object.entries(env).map(([name, value]) =>
    value === undefined ? `unset ${name};` : `${name}=${quoted(value)}`,
  )
  const words = work.kind === 'line' ? [work.line] : work.argv.map(quoted)
  return [...variables, ...words].join(' ')
}
