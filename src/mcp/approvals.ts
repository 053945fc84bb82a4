import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { codedError } from '../base/errno.ts'
import type { Approval, ApprovalRequest, Approver, Decision, Mode } from '../internal.ts'
import type { ServerContext } from './sdk.ts'

/** Bound to the call by a signature: a yes counts only for the command that was shown. */
export interface AskedCommand {
  readonly command: string
  readonly cwd: string
  readonly mode: string
}

export interface UserAnswer {
  readonly asked: AskedCommand
  /** `none`: the user closed the question without a choice. */
  readonly approval: Approval | 'none'
}

/** What the approver does in one tool call. */
export interface ToolCall {
  /** From earlier rounds of this call. Each is used once: a list may contain the same command twice. */
  readonly unused: UserAnswer[]
  /** A command that has not started: the call ends with the question. */
  question?: PendingQuestion
  /** A command that runs, or has run: the work goes on and waits for the answer. */
  ask(question: PendingQuestion): Promise<Approval>
}

export interface PendingQuestion {
  readonly request: ApprovalRequest
  readonly decision: Decision
}

const calls = new AsyncLocalStorage<ToolCall>()

export function inCall<T>(call: ToolCall, work: () => Promise<T>): Promise<T> {
  return calls.run(call, work)
}

/** Approves what the policy asks about; undefined: `[policy] unattended` decides. */
export function approverOf(approve: 'client' | 'elicit' | 'none', mode: Mode): Approver | undefined {
  switch (approve) {
    case 'client':
      // Clients run a read-only tool without asking, so in read mode no user has said yes.
      return mode === 'write' ? clientApprover : undefined
    case 'elicit':
      return elicitingApprover
    case 'none':
      return undefined
  }
}

const clientApprover: Approver = Object.assign(async () => 'yes' as const, { by: 'mcp-client' })

/**
 * A call that needs an answer ends with a question; the client calls again with it (MCP 2026-07-28, multi
 * round-trip requests; the SDK emulates them for older clients).
 */
const elicitingApprover: Approver = Object.assign(elicit, { by: 'mcp-elicitation' })

async function elicit(request: ApprovalRequest, decision: Decision): Promise<Approval> {
  const call = calls.getStore()
  if (!call) return 'no'
  // The command runs or has run: to begin the call again would run it twice.
  if (request.again || request.change !== undefined || request.connect) return call.ask({ request, decision })
  const at = call.unused.findIndex(({ asked }) => isSame(asked, request))
  const [answer] = at === -1 ? [] : call.unused.splice(at, 1)
  if (answer?.approval === 'none') throw codedError('unanswered')
  if (answer) return answer.approval
  call.question = { request, decision }
  throw codedError('unanswered')
}

function isSame(asked: AskedCommand, { command, cwd, mode }: ApprovalRequest): boolean {
  return asked.command === command && asked.cwd === cwd && asked.mode === mode
}

/** A question of a running command, and its place among those of its call. */
export interface RunningQuestion {
  readonly id: string
  readonly number: number
}

/** How a round of a call ends: the work is over, or its command waits for an answer. */
export type RoundEnd<T> =
  | { readonly kind: 'over'; readonly outcome: PromiseSettledResult<T> }
  | { readonly kind: 'asks'; readonly question: PendingQuestion; readonly running: RunningQuestion }

/** How long a client can still fetch the result of a command that ended while its user was asked. */
const keptMs = 600_000

const running = new Map<string, RunningCall<unknown>>()

/** A call whose work goes on while its client asks the user. The next round of the call continues it. */
export class RunningCall<T> {
  readonly #id = randomUUID()
  readonly #over: Promise<RoundEnd<T>>
  #asked: Promise<RoundEnd<T>>
  #ask: (end: RoundEnd<T>) => void = () => {}
  #answer: (approval: Approval | 'none') => void = () => {}
  #questions = 0
  #isOver = false
  /** Called with the context of each further round, while the work goes on. */
  readonly #continued: (context: ServerContext) => void

  /** `work` begins at once. */
  constructor(work: () => Promise<T>, continued: (context: ServerContext) => void) {
    this.#continued = continued
    this.#asked = this.#nextQuestion()
    this.#over = Promise.allSettled([work()]).then(([outcome]) => {
      this.#isOver = true
      // A call that asked nothing is in no map: a timer would keep its output in memory.
      if (this.#questions > 0) setTimeout(() => running.delete(this.#id), keptMs).unref()
      return { kind: 'over', outcome }
    })
  }

  /** Waits for the user's answer. Rejects if the user gave none. */
  ask(question: PendingQuestion): Promise<Approval> {
    this.#questions++
    running.set(this.#id, this as RunningCall<unknown>)
    const answered = new Promise<Approval>((resolve, reject) => {
      this.#answer = (given) => (given === 'none' ? reject(codedError('unanswered')) : resolve(given))
    })
    const end = { kind: 'asks', question, running: { id: this.#id, number: this.#questions } } as const
    this.#ask(end)
    this.#asked = Promise.resolve(end) // also where the question before it ended without an answer
    return answered
  }

  end(): Promise<RoundEnd<T>> {
    return Promise.race([this.#over, this.#asked])
  }

  /** An answer counts for the newest question only. After another one the client gets the newest question, or the result. */
  continue(context: ServerContext, number: number, approval: Approval | 'none'): Promise<RoundEnd<T>> {
    if (!this.#isOver) this.#continued(context)
    if (number === this.#questions) {
      this.#asked = this.#nextQuestion()
      this.#answer(approval)
    }
    return this.end()
  }

  #nextQuestion(): Promise<RoundEnd<T>> {
    return new Promise((resolve) => {
      this.#ask = resolve
    })
  }
}

/** Undefined: its command has ended long ago. */
export function runningCall<T>(id: string): RunningCall<T> | undefined {
  return running.get(id) as RunningCall<T> | undefined
}
