import { openSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import { approvalQuestion, approvalReminder } from '../result/explain-approval.ts'
import type { Approval, Approver } from './approver.ts'

const answers: Readonly<Record<string, Approval>> = {
  y: 'yes',
  n: 'no',
  a: 'all',
  s: 'same',
  // Enter, Ctrl+C, Ctrl+D, Escape: whoever does not say yes says no.
  '\r': 'no',
  '\n': 'no',
  '\u0003': 'no',
  '\u0004': 'no',
  '\u001b': 'no',
}

/** What was typed before the question stood there is no answer to it. */
const settleMs = 100

/** Asks at the terminal of the process, whatever its standard streams are. Without one the answer is no. */
export function terminalApprover(path = '/dev/tty'): Approver {
  return async (request, decision) => {
    const terminal = openTerminal(path)
    if (!terminal) return 'no'
    try {
      await terminal.settle()
      terminal.write(approvalQuestion(request, decision))
      const answer = await terminal.answer(request.signal)
      terminal.write(`${answer}\n`)
      return answer
    } finally {
      terminal.close()
    }
  }
}

function openTerminal(path: string) {
  let fd: number
  try {
    fd = openSync(path, 'r+')
  } catch {
    // ENXIO, ENOENT: nobody sits at a terminal, so nobody can say yes.
    return undefined
  }
  const input = new ReadStream(fd)
  const output = new WriteStream(openSync(path, 'w'))
  input.setRawMode(true)
  return {
    write: (text: string) => output.write(text.replaceAll('\n', '\r\n')),
    settle: () => discard(input),
    answer: (signal: AbortSignal) => readAnswer(input, output, signal),
    close: () => {
      input.setRawMode(false)
      input.destroy()
      output.destroy()
    },
  }
}

async function discard(input: ReadStream): Promise<void> {
  const drop = () => {}
  input.on('data', drop)
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  input.off('data', drop)
}

/** The first key that is an answer; end of input or an abort is no. */
function readAnswer(input: ReadStream, output: WriteStream, signal: AbortSignal): Promise<Approval> {
  return new Promise((resolve) => {
    const done = (answer: Approval) => {
      input.pause()
      signal.removeEventListener('abort', refuse)
      resolve(answer)
    }
    const refuse = () => done('no')
    signal.addEventListener('abort', refuse, { once: true })
    input.once('end', refuse)
    input.once('error', refuse)
    input.on('data', (keys: Buffer) => {
      const answer = answers[keys.toString('latin1').slice(0, 1).toLowerCase()]
      if (answer) done(answer)
      else output.write(approvalReminder.replaceAll('\n', '\r\n'))
    })
  })
}
