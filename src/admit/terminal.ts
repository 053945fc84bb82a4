import * as v from 'valibot'
import { codedError } from '../base/errno.ts'
import type { Decision } from '../base/types.ts'
import {
  approvalChoices,
  approvalLate,
  approvalQuestion,
  approvalReminder,
  approvalTooLong,
} from '../messages/approval.ts'
import { fieldOf, functionField, readFields } from '../request/fields.ts'
import { type Approval, type ApprovalRequest, type Approver, answersTo } from './approver.ts'
import type { Terminal } from './tty.ts'

/** Keys count only after this much silence: keys typed earlier, or for something else, are no answer. */
const silenceMs = 250
/** Keys that follow each other within this time are a paste. */
const pasteMs = 40

/** Where `terminalApprover` asks. */
export interface TerminalApproverOptions {
  /** The terminal. Default: `/dev/tty`, the controlling terminal of the process. */
  readonly path?: string
  /** Called where it cannot be opened, so that the answer is no. Default: nothing is said. */
  readonly onAbsent?: () => void
}

/** All shells of the process share the terminal: one question at a time. */
let turn: Promise<unknown> = Promise.resolve()

/** An answer, or that there was none: no terminal, a closed one, the time limit, or a key that only ends the question. */
type Answer = Approval | 'none'

const schema = v.partial(v.strictObject({ path: fieldOf.string, onAbsent: functionField<() => void>() }))

/** Asks at the controlling terminal. Without an answer a command is refused, and a host in this command only. Throws INVALID_REQUEST. */
export function terminalApprover(options: TerminalApproverOptions = {}): Approver {
  const { path = '/dev/tty', onAbsent } = readFields('options', options, schema)
  const approver: Approver = async (request, decision) => {
    const asked = turn.then(() => ask(path, onAbsent, request, decision))
    turn = asked.catch(() => undefined)
    const answer = await asked
    if (answer !== 'none') return answer
    // A no about a host would hold for the session.
    if (request.connect) throw codedError('unanswered')
    return 'no'
  }
  return Object.assign(approver, { by: 'terminal' })
}

async function ask(
  path: string,
  onAbsent: (() => void) | undefined,
  request: ApprovalRequest,
  decision: Decision,
): Promise<Answer> {
  // Imported late: node:tty and node:net cost start-up time, and most commands need no question.
  const { takeTurn, Terminal } = await import('./tty.ts')
  const endTurn = await takeTurn(request.signal)
  if (!endTurn) return 'none'
  const terminal = Terminal.open(path)
  if (!terminal) onAbsent?.()
  try {
    return terminal ? await askAt(terminal, request, decision) : 'none'
  } finally {
    endTurn()
  }
}

async function askAt(terminal: Terminal, request: ApprovalRequest, decision: Decision): Promise<Answer> {
  const { signal } = request
  signal.addEventListener('abort', terminal.stop, { once: true })
  if (signal.aborted) terminal.stop()
  try {
    return await answerAt(terminal, request, decision)
  } finally {
    signal.removeEventListener('abort', terminal.stop)
    terminal.close()
  }
}

async function answerAt(terminal: Terminal, request: ApprovalRequest, decision: Decision): Promise<Answer> {
  const question = approvalQuestion(request, decision, terminal.columns)
  if (question === undefined) {
    terminal.write(approvalTooLong(request))
    return 'none'
  }
  terminal.write(question)
  const answer = (await hasSettled(terminal)) ? await firstAnswer(terminal, request) : 'none'
  terminal.write(request.signal.aborted ? approvalLate : `${answer === 'none' ? 'no' : answer}\n`)
  return answer
}

/** Drops keys until none arrive. False when the wait ends, or on Ctrl+C. */
async function hasSettled(terminal: Terminal): Promise<boolean> {
  for (;;) {
    const keys = await terminal.read(silenceMs)
    if (keys === 'quiet') return true
    if (keys === 'over' || keys.includes(interrupt)) return false
  }
}

const interrupt = 0x03

async function firstAnswer(terminal: Terminal, request: ApprovalRequest): Promise<Answer> {
  const offered = answersTo(request)
  terminal.write(approvalChoices(request))
  for (;;) {
    const keys = await terminal.read()
    if (typeof keys === 'string') return 'none'
    const more = await terminal.read(pasteMs)
    if (more === 'over') return 'none'
    const all = more === 'quiet' ? keys : Buffer.concat([keys, more])
    if (all.some((key) => refusing.includes(key))) return 'none'
    // Only a single key is an answer: several are a paste, or a reply of the terminal.
    const answer = all.length === 1 ? answers[String.fromCharCode(all[0] ?? 0).toLowerCase()] : undefined
    if (answer && offered.includes(answer)) return answer
    terminal.write(approvalReminder(request))
  }
}

const answers: Readonly<Record<string, Approval>> = {
  y: 'yes',
  n: 'no',
  a: 'all',
  s: 'same',
  '\r': 'no',
  '\n': 'no',
}

/** Ctrl+C, Ctrl+D, Ctrl+\ and Escape, with which a terminal's own escape sequences begin. */
const refusing = [0x03, 0x04, 0x1c, 0x1b]
