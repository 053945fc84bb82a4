import type { Decision } from '../../base/types.ts'
import {
  approvalAnswer,
  approvalChoices,
  approvalLate,
  approvalQuestion,
  approvalReminder,
  approvalTooLong,
} from '../../messages/approval.ts'
import { type Approval, type ApprovalRequest, type Approver, answersTo } from './approver.ts'
import { answerIn } from './keys.ts'
import type { Terminal } from './tty.ts'

/** Keys count only after this much silence: keys typed earlier, or for something else, are no answer. */
const silenceMs = 250
/** Keys that follow each other within this time are a paste. */
const pasteMs = 40

export interface TerminalApproverOptions {
  /** Default: `/dev/tty`, the controlling terminal of the process. */
  readonly path?: string
  readonly onAbsent?: () => void
}

/** All shells of the process share the terminal: one question at a time. */
let turn: Promise<unknown> = Promise.resolve()

/** Asks at the controlling terminal. No without a terminal, when it is closed, and at the time limit. */
export function terminalApprover({ path = '/dev/tty', onAbsent }: TerminalApproverOptions = {}): Approver {
  const approver: Approver = (request, decision) => {
    const answer = turn.then(() => ask(path, onAbsent, request, decision))
    turn = answer.catch(() => undefined)
    return answer
  }
  return Object.assign(approver, { by: 'terminal' })
}

async function ask(
  path: string,
  onAbsent: (() => void) | undefined,
  request: ApprovalRequest,
  decision: Decision,
): Promise<Approval> {
  // Imported late: node:tty and node:net cost start-up time, and most commands need no question.
  const [{ takeTurn }, { Terminal }] = await Promise.all([import('./turn.ts'), import('./tty.ts')])
  const endTurn = await takeTurn(request.signal)
  if (!endTurn) return 'no'
  const terminal = Terminal.open(path)
  if (!terminal) onAbsent?.()
  try {
    return terminal ? await askAt(terminal, request, decision) : 'no'
  } finally {
    endTurn()
  }
}

async function askAt(terminal: Terminal, request: ApprovalRequest, decision: Decision): Promise<Approval> {
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

async function answerAt(terminal: Terminal, request: ApprovalRequest, decision: Decision): Promise<Approval> {
  const question = approvalQuestion(request, decision, terminal.columns)
  if (question === undefined) {
    terminal.write(approvalTooLong(request))
    return 'no'
  }
  terminal.write(question)
  const answer = (await hasSettled(terminal)) ? await firstAnswer(terminal, request) : 'no'
  terminal.write(request.signal.aborted ? approvalLate : approvalAnswer(answer))
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

async function firstAnswer(terminal: Terminal, request: ApprovalRequest): Promise<Approval> {
  const offered = answersTo(request)
  terminal.write(approvalChoices(request))
  for (;;) {
    const keys = await terminal.read()
    if (typeof keys === 'string') return 'no'
    const answer = answerIn(keys, offered)
    if (answer === 'no') return answer
    if (answer) {
      const more = await terminal.read(pasteMs)
      if (more === 'quiet') return answer
      if (more === 'over' || answerIn(more, offered) === 'no') return 'no'
    }
    terminal.write(approvalReminder(request))
  }
}
