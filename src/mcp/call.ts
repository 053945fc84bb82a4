import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setInterval } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { codedError } from '../base/errno.ts'
import { decode, sizeText, visible } from '../base/text.ts'
import type { Approval, ApprovalRequest, Approver, Decision } from '../internal.ts'
import type { CallToolResult, ServerContext } from './sdk.ts'

/** Bound to its question by a signature: a yes counts only for the command that was shown. */
export interface UserAnswer {
  readonly asked: Pick<ApprovalRequest, 'command' | 'cwd' | 'mode'>
  /** `none`: the user closed the question without a choice. */
  readonly approval: Approval | 'none'
}

/** A place among the questions of a call whose work goes on. */
export interface RunningQuestion {
  readonly call: string
  readonly number: number
}

export interface PendingQuestion {
  readonly request: ApprovalRequest
  readonly decision: Decision
  /** Absent: the command has not started, and the call has ended with the question. */
  readonly running?: RunningQuestion
}

/** How one request of a call ends: with the outcome of its work, a question, or both. */
export interface RoundEnd {
  readonly outcome?: PromiseSettledResult<CallToolResult>
  readonly question?: PendingQuestion | undefined
}

export interface CallOptions {
  /** The user's answers to questions about commands that had not started. Each counts once: a list may contain a line twice. */
  readonly given: readonly UserAnswer[]
  readonly canAsk: boolean
  /** Milliseconds that the work goes on after the connection of a request breaks. */
  readonly graceMs: number
  /** Commands that run before this one. */
  ahead(): number
  work(call: Call): Promise<CallToolResult>
}

/** Questions to the user in one call: the SDK ends older clients' calls after 8 rounds. */
const maxQuestions = 8

/** How long a client can still fetch the result of a command that ended while its user was asked. */
const keptMs = 600_000
const progressMs = 500
/** Of the output, for the last line of it. */
const tailBytes = 400

const current = new AsyncLocalStorage<Call>()

/** Calls that have asked while their commands ran. */
export const askingCalls = new Map<string, Call>()

/**
 * A call that needs an answer ends with a question; the client calls again with it (MCP 2026-07-28, multi
 * round-trip requests; the SDK emulates them for older clients).
 */
export const elicitingApprover: Approver = Object.assign(
  async (request: ApprovalRequest, decision: Decision) =>
    current.getStore()?.ask({ request, decision }) ?? 'no',
  { by: 'mcp-elicitation' },
)

/** A call of `execute_command`, over all requests that wait for its answer: a question ends one, and the next brings the answer. */
export class Call {
  readonly #id = randomUUID()
  readonly #options: CallOptions
  readonly #unused: UserAnswer[]
  readonly #end = new AbortController()
  readonly #over: Promise<RoundEnd>
  readonly #calledMs = performance.now()
  #startedMs: number | undefined
  #bytes = 0
  /** The newest output. */
  #tail = Buffer.alloc(0)
  /** Aborts when the newest request waits no more. */
  #left = new AbortController()
  #isOver = false
  #isModern = false
  /** About a command that has not started. */
  #open: PendingQuestion | undefined
  #questions = 0
  #asked: Promise<RoundEnd>
  #ask: (end: RoundEnd) => void = () => {}
  #answer: (approval: Approval | 'none') => void = () => {}

  /** The work begins at once. */
  constructor(context: ServerContext, options: CallOptions) {
    this.#options = options
    this.#unused = [...options.given]
    this.#asked = this.#nextQuestion()
    this.#attend(context)
    this.#over = Promise.allSettled([current.run(this, () => options.work(this))]).then(([outcome]) => {
      this.#isOver = true
      this.#left.abort()
      // A call that asked nothing is in no map: a timer would keep its output in memory.
      if (this.#questions > 0) setTimeout(() => askingCalls.delete(this.#id), keptMs).unref()
      return { outcome, question: this.#open }
    })
  }

  /** Ends the work: aborts with the request that waits for it, or a grace after the connection of that request breaks. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  started(): void {
    this.#startedMs = performance.now()
  }

  wrote(chunk: Buffer): void {
    this.#bytes += chunk.length
    const tail = chunk.length < tailBytes ? Buffer.concat([this.#tail, chunk]) : chunk
    this.#tail = Buffer.from(tail.subarray(-tailBytes))
  }

  end(): Promise<RoundEnd> {
    return Promise.race([this.#over, this.#asked])
  }

  /** Rejects if the user gives no answer. */
  async ask(question: PendingQuestion): Promise<Approval> {
    const { again, change, connect } = question.request
    // The command runs or has run: to begin the call again would run it twice.
    if (again || change !== undefined || connect) return this.#askMeanwhile(question)
    const at = this.#unused.findIndex(({ asked }) => isAbout(asked, question.request))
    const [answer] = at === -1 ? [] : this.#unused.splice(at, 1)
    if (!answer) this.#open = question
    if (!answer || answer.approval === 'none') throw codedError('unanswered')
    return answer.approval
  }

  /** An answer counts for the newest question only. After another one the client gets the newest question, or the result. */
  continue(context: ServerContext, number: number, approval: Approval | 'none'): Promise<RoundEnd> {
    if (!this.#isOver) this.#attend(context)
    if (number === this.#questions) {
      this.#asked = this.#nextQuestion()
      this.#answer(approval)
    }
    return this.end()
  }

  #askMeanwhile(question: PendingQuestion): Promise<Approval> {
    const { canAsk, given } = this.#options
    // What was left in the background asks: no request waits for it.
    if (this.#isOver) throw codedError('unanswered')
    if (!canAsk || given.length + this.#questions >= maxQuestions) throw codedError('unanswered')
    askingCalls.set(this.#id, this)
    const answered = new Promise<Approval>((resolve, reject) => {
      this.#answer = (given) => (given === 'none' ? reject(codedError('unanswered')) : resolve(given))
    })
    const running = { call: this.#id, number: ++this.#questions }
    const end = { question: { ...question, running } }
    this.#ask(end)
    this.#asked = Promise.resolve(end) // also where the question before it ended without an answer
    return answered
  }

  #nextQuestion(): Promise<RoundEnd> {
    return new Promise((resolve) => {
      this.#ask = (end) => {
        // Since MCP 2026-07-28 a question ends its request, whose signal aborts with its connection.
        if (this.#isModern) this.#left.abort()
        resolve(end)
      }
    })
  }

  /** A request waits for the answer, instead of the one before. */
  #attend({ mcpReq, http }: ServerContext): void {
    this.#left.abort()
    this.#left = new AbortController()
    this.#isModern = mcpReq.envelope !== undefined
    const { signal } = this.#left
    const cancel = () => this.#end.abort(mcpReq.signal.reason)
    if (mcpReq.signal.aborted) cancel()
    mcpReq.signal.addEventListener('abort', cancel, { once: true, signal })
    // In an HTTP session that cancels nothing by itself (MCP 2025-11-25, Transports), and no answer can be delivered.
    const broken = () => {
      const late = setTimeout(() => this.#end.abort(), this.#options.graceMs)
      signal.addEventListener('abort', () => clearTimeout(late))
    }
    http?.req?.signal.addEventListener('abort', broken, { once: true, signal })
    this.#report(mcpReq, signal).catch(() => {}) // it ends with the signal
  }

  /** Reports the progress of a call, if the client asked for it. */
  async #report(mcpReq: ServerContext['mcpReq'], signal: AbortSignal): Promise<void> {
    const progressToken = mcpReq._meta?.progressToken
    if (progressToken === undefined) return
    for await (const _ of setInterval(progressMs, undefined, { signal })) {
      // It must grow each time (MCP, utilities/progress): it is the seconds since the call.
      const progress = (performance.now() - this.#calledMs) / 1000
      const params = { progressToken, progress, message: this.#progressText() }
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}) // the connection is gone
    }
  }

  #progressText(): string {
    if (this.#startedMs === undefined) return `waiting to start, commands ahead: ${this.#options.ahead()}`
    const seconds = (performance.now() - this.#startedMs) / 1000
    return `running for ${seconds.toFixed(1)} s, ${sizeText(this.#bytes)} of output${this.#lastLine()}`
  }

  #lastLine(): string {
    const text = stripVTControlCharacters(decode(this.#tail, { start: true, end: true }))
    const line = text.split(/[\r\n]+/).findLast((line) => line.trim() !== '')
    return line === undefined ? '' : `: ${visible(line)}`
  }
}

function isAbout(asked: UserAnswer['asked'], { command, cwd, mode }: ApprovalRequest): boolean {
  return asked.command === command && asked.cwd === cwd && asked.mode === mode
}
