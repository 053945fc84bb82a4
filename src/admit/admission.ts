import { posix } from 'node:path'
import { abortAfter, monotonicMs } from '../base/clock.ts'
import { loadLate } from '../base/process.ts'
import { quoted, visible } from '../base/text.ts'
import type { ApprovalRecord, Decision, Denial, Mode } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import { explainChange, explainHeld, explainUnheld, refusedText } from '../messages/policy.ts'
import type { PolicySettings } from '../policy/ruleset.ts'
import { checkNewDirectory } from '../request/lookup.ts'
import type { CompleteRequest } from '../request/request.ts'
import { Approvals, definedIn, inputOf, isYes, type StandingApproval } from './approvals.ts'
import type { ApprovalRequest, Approver, HostQuestion } from './approver.ts'
import type { CommandToDecide, Decider, DeciderOptions } from './decider.ts'

export interface Admitted {
  readonly decision: Decision
  /** Present when the verdict was `ask`. */
  readonly approval?: ApprovalRecord
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
    /** What an earlier run was refused: this one always needs an approval. */
    readonly refused?: Refused | undefined
  }

/** Empty: the system does not report what was refused. */
export interface Refused {
  readonly mode: Exclude<Mode, 'write'>
  readonly denials: readonly Denial[]
}

export interface AdmissionOptions extends DeciderOptions {
  readonly approver?: Approver | undefined
}

/** After this the answer is no. */
export interface ApprovalWait {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

const explainNotAsked = 'write mode, and there is no approver to ask ([policy] unattended)'

/** Of what no rule speaks. */
const unread: Readonly<Record<Mode, Decision>> = {
  read: { verdict: 'allow', reason: explainHeld('read'), matches: [] },
  workspace: { verdict: 'allow', reason: explainHeld('workspace'), matches: [] },
  write: { verdict: 'allow', reason: explainNotAsked, matches: [] },
}

/** Admission: the policy decides, and the approver answers what it leaves open. */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #approvals: Approvals | undefined
  /** Only with an approver: making one takes as long as reading the configuration. */
  readonly #over: AbortController | undefined
  readonly hasApprover: boolean
  /** Whether a line of write mode that is not on the safe list is asked about, or refused. */
  readonly #asks: boolean
  readonly #isRuled: boolean
  #opened: Promise<Decider> | undefined

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.#approvals = options.approver && new Approvals(options.approver)
    this.#over = options.approver && new AbortController()
    const { policy } = options.loaded.config
    this.hasApprover = options.approver !== undefined
    this.#asks = policy.preset === 'default' && (this.hasApprover || policy.unattended === 'deny')
    this.#isRuled = rulesEveryMode(policy)
  }

  /** Throws CONFIG_INVALID for a faulty rule. */
  async ready(): Promise<void> {
    const { allow, ask, deny, rule, safe } = this.#options.loaded.config.policy
    if (allow.length + ask.length + deny.length + rule.length + safe.length > 0) await this.#decider()
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

  /** As with an approver. */
  async decide(command: CommandToDecide): Promise<Decision> {
    const { preset } = this.#options.loaded.config.policy
    if (!this.#needsReading(command, preset === 'default')) return unread[command.mode]
    return (await this.#decider()).decide(command)
  }

  /** Admits, or throws INVALID_REQUEST (the directory), DENIED or NOT_APPROVED, by the deadline. */
  async admit(command: CommandToAdmit, wait: ApprovalWait): Promise<Admitted> {
    const started = monotonicMs()
    await checkNewDirectory(command.cwd)
    const decision = await this.#decided(command)
    const lookupMs = monotonicMs() - started
    if (decision.verdict === 'deny') throw new VitrineError({ code: 'DENIED', decision })
    if (decision.verdict !== 'ask') return { decision, lookupMs }
    // What workspace mode refused is asked about each time, whatever write mode stands approved for.
    const once = command.refused?.mode === 'workspace'
    const approval = (await this.#ask({ ...command, once }, decision, wait)) ?? this.#unattended()
    if (!isYes(approval)) throw this.#notApproved(decision, approval)
    return { decision, approval, lookupMs }
  }

  async #decided(command: CommandToAdmit): Promise<Decision> {
    const { mode, refused } = command
    if (!this.#needsReading(command, this.#asks)) return unread[mode]
    const decider = await this.#decider()
    const own = await decider.decide(refused ? { ...command, canHold: () => false } : command)
    if (refused && own.verdict !== 'deny') {
      const matches = own.matches.filter(({ why }) => why !== explainUnheld)
      const told = refusedText(refused.denials, command.cwd)
      const reason = `${refused.mode} mode refused it (${told}); with approval it runs again from the start, unsandboxed`
      return { verdict: 'ask', reason, matches }
    }
    const { held, ...rest } = own
    const isHeld = held && (this.#asks || this.#options.loaded.config.policy.preset === 'analysis')
    return held && !isHeld ? { ...rest, reason: explainNotAsked } : own
  }

  /** False: no rule could say anything about the line, so that it is not even parsed. */
  #needsReading(command: CommandToDecide, asks: boolean): boolean {
    if (this.#isRuled) return true
    if (command.mode !== 'write') return false
    const { config, files } = this.#options.loaded
    const own = [...files.map(({ file }) => file), config.audit.path].filter((path) => path !== '')
    return asks || mayBeDenied(textOf(command) + JSON.stringify(command.state ?? ''), own)
  }

  /** Asks whether a command may change a protected path. No standing approval counts. Undefined: there is no approver. */
  async approveChange(
    command: CommandToAdmit,
    path: string,
    wait: ApprovalWait,
  ): Promise<ProtectedAnswer | undefined> {
    const approval = await this.#ask(
      { ...command, change: path, once: true },
      asking(explainChange(path)),
      wait,
    )
    return approval && { path, approval }
  }

  /** Asks whether a command may connect to a host, unless this shell has an answer. Undefined: there is no approver. */
  async approveHost(
    command: CommandToAdmit,
    connect: HostQuestion,
    wait: ApprovalWait,
  ): Promise<HostAnswer | undefined> {
    const { host, port, program } = connect
    const which = program === undefined ? 'it' : `its program ${visible(program)}`
    const reason = `${which} is about to connect to ${visible(host)}, port ${port}, which [shell] network does not list`
    const approval = await this.#ask({ ...command, connect }, asking(reason), wait)
    return approval && { host, port, approval }
  }

  /** Without an approver `[policy] unattended` decides: `allow` by default. */
  #unattended(): ApprovalRecord {
    const isYes = this.#options.loaded.config.policy.unattended === 'allow'
    return { by: 'unattended', asked: false, answer: isYes ? 'yes' : 'no', standing: null }
  }

  #notApproved(decision: Decision, approval: ApprovalRecord): VitrineError {
    const { source, where } = this.#options.loaded.sources['policy.unattended']
    const byProject = approval.by === 'unattended' && source === 'project'
    return new VitrineError({ code: 'NOT_APPROVED', decision, approval, ...(byProject && { setBy: where }) })
  }

  /** Undefined: there is no approver. */
  async #ask(
    command: CommandToAdmit & Pick<ApprovalRequest, 'change' | 'connect' | 'once'>,
    decision: Decision,
    wait: ApprovalWait,
  ): Promise<ApprovalRecord | undefined> {
    if (!this.#approvals) return undefined
    const { cwd, mode, change, connect, once, refused, state } = command
    const { signal, end } = abortAfter(wait.timeoutMs, wait.signal, this.#over?.signal)
    try {
      const isShown = command.work.kind === 'argv' && command.work.own
      const stdin = isShown ? ({ kind: 'none' } as const) : inputOf(command)
      const again = refused !== undefined
      const session = state && definedIn(state)
      const what = { change, connect, again, once, session, signal }
      const request = { command: textOf(command), cwd, mode, stdin, ...what }
      return await this.#approvals.approves(request, decision)
    } finally {
      end()
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

/** Whether the settings say something in every mode. If not, a line of read or workspace mode is not even parsed. */
function rulesEveryMode({ preset, ask, deny, rule }: PolicySettings): boolean {
  return preset === 'analysis' || ask.length + deny.length + rule.length > 0
}

/**
 * Whether write mode may deny a line about which no approver is asked. If not, it is not even parsed.
 * @param own vitrine's own files under names of the user's
 */
export function mayBeDenied(text: string, own: readonly string[]): boolean {
  return DISASTER.test(text) || own.some((path) => text.includes(posix.basename(path)))
}

/** A word of the deny list, or of vitrine's own files; or one that quotes may hide. */
const DISASTER =
  /\b(?:rm|mv)\b|\w[\\'"]+\w|mk\w*fs|mkswap|newfs|wipefs|blkdiscard|-delete|unlink|shred|srm|\bdd\b|\/dev\/(?!null\b)|vitrine|\(\s*\)/

function asking(reason: string): Decision {
  return { verdict: 'ask', reason, matches: [] }
}

// Quoted: an argument vector must not read like a shell line, or the reverse.
function textOf({ work, env = {} }: CommandToDecide): string {
  if (work.kind === 'argv' && work.own) return work.own.shown
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
