import { monotonicMs } from '../base/clock.ts'
import { isBeneath } from '../base/paths.ts'
import { quoted } from '../base/text.ts'
import type { ApprovalRecord, Decision, Denial, Mode } from '../base/types.ts'
import { abortAfter } from '../base/within.ts'
import { checkNewDirectory } from '../facts/directory.ts'
import { loadLate } from '../facts/load-late.ts'
import { Lookup } from '../facts/lookup.ts'
import { secondLimitMs } from '../facts/silent.ts'
import { isVitrineError, VitrineError } from '../messages/error.ts'
import {
  explainChange,
  explainHeld,
  explainHost,
  explainOutside,
  explainSecondRun,
} from '../messages/policy.ts'
import { needsReading } from '../policy/decide/quick.ts'
import type { GitCare } from '../request/environment.ts'
import type { CompleteRequest } from '../request/request.ts'
import { Approvals, isYes, type StandingApproval } from './approval/approve.ts'
import type { ApprovalRequest, Approver, HostQuestion } from './approval/approver.ts'
import { inputOf } from './approval/input.ts'
import type { CommandToDecide, Decider, DeciderOptions } from './decider.ts'

export interface Admitted {
  readonly decision: Decision
  /** Present when the verdict was `ask`. */
  readonly approval?: ApprovalRecord
  readonly gitCare: GitCare
  /** Milliseconds spent on lookups; they count towards the deadline. */
  readonly lookupMs: number
}

export interface ProtectedAnswer {
  readonly path: string
  readonly approval: ApprovalRecord
}

export interface HostAnswer {
  readonly host: string
  readonly port: number
  readonly approval: ApprovalRecord
}

export type CommandToAdmit = CommandToDecide &
  Pick<CompleteRequest, 'stdin' | 'terminal'> & {
    /** What an earlier run was refused: this one always needs an approval, and no standing one counts. */
    readonly refused?: readonly Denial[] | undefined
  }

export interface AdmissionOptions extends DeciderOptions {
  readonly approver?: Approver | undefined
}

/** After this the answer is no. */
export interface ApprovalWait {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

function admittedBySandbox(mode: Mode): Omit<Admitted, 'lookupMs'> {
  const decision = { verdict: 'allow', reason: explainHeld(mode), matches: [] } as const
  return { decision, gitCare: heldGitCare(mode) }
}

/** What git runs by itself, such as hooks, can change no more than the command in workspace mode: it runs as in write mode. */
function heldGitCare(mode: Mode): GitCare {
  return mode === 'workspace' ? 'none' : 'line'
}

/** Admission: the policy decides, and the approver answers what it leaves open. */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #approvals: Approvals | undefined
  /** Only with an approver: making one takes as long as reading the configuration. */
  readonly #over: AbortController | undefined
  #opened: Promise<Decider> | undefined
  #deciderWithLines: Promise<Decider> | undefined

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.#approvals = options.approver && new Approvals(options.approver)
    this.#over = options.approver && new AbortController()
  }

  /** Throws CONFIG_INVALID for a faulty rule. */
  async ready(): Promise<void> {
    const { allow, ask, deny, rule, safe } = this.#options.loaded.config.policy
    if (allow.length + ask.length + deny.length + rule.length + safe.length > 0) await this.#decider()
  }

  get hasApprover(): boolean {
    return this.#approvals !== undefined
  }

  standingApprovals(): readonly StandingApproval[] {
    return this.#approvals?.list() ?? []
  }

  /** Revokes one standing approval; without an argument all. */
  revoke(approval?: StandingApproval): void {
    this.#approvals?.revoke(approval)
  }

  /** Ends open questions without an answer, and asks no more. */
  end(): void {
    this.#over?.abort()
  }

  async decide(command: CommandToDecide): Promise<Decision> {
    const outside = await this.#outside(command)
    if (outside) return outside
    if (this.#isHeld(command)) return admittedBySandbox(command.mode).decision
    const { decision } = await (await this.#decider()).decide(command)
    return this.#withLines(command, decision)
  }

  /** Admits, or throws INVALID_REQUEST (the directory), DENIED or NOT_APPROVED, by the deadline. */
  async admit(command: CommandToAdmit, wait: ApprovalWait): Promise<Admitted> {
    const started = monotonicMs()
    const outside = await this.#outside(command)
    if (outside) throw new VitrineError({ code: 'DENIED', decision: outside })
    const held = this.#isHeld(command)
    if (held) await checkNewDirectory(command.cwd, this.#options.pathLookup)
    if (held) return { lookupMs: monotonicMs() - started, ...admittedBySandbox(command.mode) }
    const decider = await this.#decider()
    const againMs = Math.min(secondLimitMs, wait.timeoutMs)
    const { decision: first, needsApprover, ...decided } = await decider.decide(command, againMs)
    const gitCare = command.mode === 'write' ? decided.gitCare : heldGitCare(command.mode)
    const lookupMs = monotonicMs() - started
    const { refused } = command
    const own = first.verdict === 'allow' ? first : await this.#withLines(command, first, againMs)
    const decision =
      refused && own.verdict !== 'deny'
        ? { ...own, ...({ verdict: 'ask', reason: explainSecondRun(refused) } as const) }
        : own
    if (decision.verdict === 'deny') throw new VitrineError({ code: 'DENIED', decision })
    if (decision.verdict !== 'ask') return { decision, gitCare, lookupMs }
    const approval = await this.#approval(command, decision, needsApprover, wait)
    if (!isYes(approval)) throw this.#notApproved(decision, approval)
    return { decision, approval, gitCare, lookupMs }
  }

  /** Asks whether a command may change a protected path. No standing approval counts. Undefined: there is no approver. */
  async approveChange(
    command: CommandToAdmit,
    path: string,
    wait: ApprovalWait,
  ): Promise<ProtectedAnswer | undefined> {
    if (!this.#approvals) return undefined
    const decision = { verdict: 'ask', reason: explainChange(path), matches: [] } as const
    return {
      path,
      approval: await this.#ask(this.#approvals, { ...command, change: path, once: true }, decision, wait),
    }
  }

  /** Asks whether a command may connect to a host, unless this shell has an answer. Undefined: there is no approver. */
  async approveHost(
    command: CommandToAdmit,
    connect: HostQuestion,
    wait: ApprovalWait,
  ): Promise<HostAnswer | undefined> {
    if (!this.#approvals) return undefined
    const { host, port, program } = connect
    const decision = { verdict: 'ask', reason: explainHost(host, port, program), matches: [] } as const
    return { host, port, approval: await this.#ask(this.#approvals, { ...command, connect }, decision, wait) }
  }

  /** Workspace mode in a directory outside of the workspace that is named, as write mode refuses it. */
  async #outside({ mode, cwd }: CommandToDecide): Promise<Decision | undefined> {
    const { pathLookup, loaded } = this.#options
    // The one that a project file narrows: what it names is for the changes alone.
    const workspace = loaded.outerWorkspace ?? loaded.config.policy.workspace
    if (mode !== 'workspace' || workspace === '') return undefined
    const places = await new Lookup(pathLookup).where([cwd, workspace])
    const [at, top] = [places.get(cwd), places.get(workspace)]
    // What cannot be looked up is reported where the command starts.
    if (at === undefined || top === undefined || isBeneath(at, top)) return undefined
    return { verdict: 'deny', reason: explainOutside(cwd, workspace), matches: [] }
  }

  /** True where the sandbox alone decides. */
  #isHeld(command: CommandToDecide): boolean {
    return command.mode !== 'write' && !needsReading(textOf(command), this.#options.loaded.config.policy)
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

  /** Without an approver `[policy] unattended` decides: `allow` by default. */
  async #approval(
    command: CommandToAdmit,
    decision: Decision,
    needsApprover: boolean,
    wait: ApprovalWait,
  ): Promise<ApprovalRecord> {
    if (!this.#approvals)
      return unattended(needsApprover ? 'deny' : this.#options.loaded.config.policy.unattended)
    return this.#ask(this.#approvals, { ...command, once: command.refused !== undefined }, decision, wait)
  }

  async #ask(
    approvals: Approvals,
    command: CommandToAdmit & Pick<ApprovalRequest, 'change' | 'connect' | 'once'>,
    decision: Decision,
    wait: ApprovalWait,
  ): Promise<ApprovalRecord> {
    const { cwd, mode, change, connect, once } = command
    const waiting = abortAfter(wait.timeoutMs, wait.signal, this.#over?.signal)
    const { signal } = waiting
    try {
      const stdin = inputOf(command)
      const request = { command: textOf(command), cwd, mode, stdin, change, connect, once, signal }
      return await approvals.approves(request, decision)
    } finally {
      waiting.end()
    }
  }

  /** Decides again with the lines of configured rules, looked up once and only where one is reported. */
  async #withLines(command: CommandToDecide, decision: Decision, againMs = secondLimitMs): Promise<Decision> {
    const { loaded } = this.#options
    if (!decision.matches.some(({ source }) => loaded.files.some(({ file }) => source.includes(file))))
      return decision
    this.#deciderWithLines ??= loadLate(() => import('./decider.ts')).then(async ({ Decider, ruleOrigins }) =>
      Decider.open(this.#options, await ruleOrigins(loaded)),
    )
    try {
      return (await (await this.#deciderWithLines).decide(command, againMs)).decision
    } catch (error) {
      this.#deciderWithLines = undefined
      // The file has changed since it was loaded: the loaded rules stay in force, without their lines.
      if (isVitrineError(error) && error.code === 'CONFIG_INVALID') return decision
      throw error
    }
  }

  /** Imported late: most lines in the sandboxed modes need no parsing, and the parser costs start-up time. */
  #decider(): Promise<Decider> {
    this.#opened ??= loadLate(() => import('./decider.ts')).then(({ Decider }) => Decider.open(this.#options))
    // Where descriptors ran out, the next command tries again.
    return this.#opened.catch((error) => {
      this.#opened = undefined
      throw error
    })
  }
}

function unattended(verdict: 'allow' | 'deny'): ApprovalRecord {
  return { by: 'unattended', asked: false, answer: verdict === 'allow' ? 'yes' : 'no', standing: null }
}

// Quoted: an argument vector must not read like a shell line, or the reverse.
function textOf({ work, env = {} }: CommandToDecide): string {
  const variables = Object.entries(env).map(([name, value]) =>
    value === undefined ? `unset ${name};` : `${name}=${quoted(value)}`,
  )
  const words =
    work.kind === 'line' ? [work.line] : [program(work.argv[0] ?? ''), ...work.argv.slice(1).map(quoted)]
  return [...variables, ...words].join(' ')
}

/** A shell would take `NAME=value` for a variable, and `%1` for a job. */
function program(name: string): string {
  return /[=%]/.test(name) ? `'${name.replaceAll("'", "'\\''")}'` : quoted(name)
}
