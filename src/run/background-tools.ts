import { monotonicMs, unlessAborted } from '../base/clock.ts'
import { bytesText, visible, withLine } from '../base/text.ts'
import type { Mode, Result } from '../base/types.ts'
import { endNotices, inBrackets } from '../messages/answer.ts'
import { VitrineError } from '../messages/error.ts'
import { describeListening, listeningAt } from '../messages/result.ts'
import type { BackgroundRequest } from '../request/background.ts'
import type { ExecuteOptions } from '../request/request.ts'
import type { BackgroundCommand } from './background.ts'
import type { ToolInput } from './lines.ts'

/** Commands of one agent that run at once in the background. */
const maxRunning = 16

/** A command that fails at once is told of with its start. */
const firstOutputMs = 1000
const failsWithinMs = 200

interface Job {
  readonly id: string
  readonly line: string
  readonly mode: Mode
  readonly inlineChars: number
  readonly command: BackgroundCommand
  readonly startedMs: number
  result: Result | undefined
  /** What an answer has shown, in bytes of output and in addresses. */
  shown: number
  told: number
}

/** The shell's part in a call of a tool. */
interface Starting {
  readonly config: { readonly output: { readonly inline_max_chars: number } }
  background(request: BackgroundRequest, options?: ExecuteOptions): Promise<BackgroundCommand>
}

export interface JobAnswer {
  readonly text: string
  readonly id: string
  /** Undefined: it runs. */
  readonly result: Result | undefined
}

/** The background commands of one agent, by short ids, and the answers of its tools about them. */
export class BackgroundTools {
  readonly #jobs = new Map<string, Job>()
  #made = 0

  /** Throws as `background` of the shell, and INVALID_REQUEST where too many run. */
  async start(shell: Starting, mode: Mode, asked: ToolInput, options: ExecuteOptions): Promise<JobAnswer> {
    if (asked.next || asked.ignore_errors)
      throw misuse('background takes one line, without next and ignore_errors.')
    if (this.#running().length >= maxRunning)
      throw misuse(`${maxRunning} background commands run already. End one with stop_command first.`)
    const { command: line, cwd, scratchpad, private_tmp: privateTmp } = asked
    const command = await shell.background(
      { command: line, mode, cwd, scratchpad, privateTmp, merged: true },
      options,
    )
    const id = `bg${++this.#made}`
    const inlineChars = shell.config.output.inline_max_chars
    const job: Job = {
      id,
      line,
      mode,
      inlineChars,
      command,
      startedMs: monotonicMs(),
      result: undefined,
      shown: 0,
      told: 0,
    }
    this.#keep(job)
    await command.wait({ output: /[\s\S]/, timeoutMs: firstOutputMs })
    await command.wait({ timeoutMs: failsWithinMs })
    return this.#answer(job)
  }

  /** What is new since the last answer. With `waitMs` waits for something new, for `until`, or for the end. Throws INVALID_REQUEST. */
  async read(id: string, waitMs: number, until: string | undefined, signal: AbortSignal): Promise<JobAnswer> {
    const job = this.#find(id)
    const output = until === undefined ? /[\s\S]/ : new RegExp(until.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    const waiting = job.command.wait({ output, since: job.shown, timeoutMs: waitMs })
    await unlessAborted(waiting, signal, () => undefined)
    return this.#answer(job)
  }

  /** SIGTERM, the grace, SIGKILL. Throws INVALID_REQUEST. */
  async stop(id: string): Promise<JobAnswer> {
    const job = this.#find(id)
    await job.command.stop()
    return this.#answer(job)
  }

  list(): string {
    const lines = [...this.#jobs.values()].map(({ id, line, mode, command, startedMs, result }) => {
      const seconds = Math.round((monotonicMs() - startedMs) / 1000)
      const state = result ? 'ended' : `running for ${seconds} s`
      const where = command.listening.map(listeningAt).join(', ')
      return `${id}  ${state}  ${mode} mode${where && !result ? `  listening at ${where}` : ''}  ${visible(line)}`
    })
    return lines.length === 0 ? 'There are no background commands.' : lines.join('\n')
  }

  #running(): readonly Job[] {
    return [...this.#jobs.values()].filter(({ result }) => !result)
  }

  /** Of those that have ended the newest stay, too. */
  #keep(job: Job): void {
    const ended = [...this.#jobs.values()].filter(({ result }) => result)
    for (const { id } of ended.slice(0, Math.max(0, ended.length - maxRunning))) this.#jobs.delete(id)
    this.#jobs.set(job.id, job)
    job.command.result.then(
      (result) => {
        job.result = result
      },
      () => this.#jobs.delete(job.id),
    )
  }

  #find(id: string): Job {
    const job = this.#jobs.get(id)
    if (job) return job
    const ids = [...this.#jobs.keys()].join(', ')
    throw misuse(
      `There is no background command ${JSON.stringify(id)}; there ${ids ? `are: ${ids}` : 'are none'}.`,
    )
  }

  async #answer(job: Job): Promise<JobAnswer> {
    const { id, result, command } = job
    const text = (await this.#fresh(job)) || '(no new output)'
    const at = command.listening.slice(job.told)
    job.told = command.listening.length
    const lines = result
      ? [`${id} has ended`, ...endNotices({ ...result, omittedBytes: 0 })]
      : [`${id} is running`, ...(at.length > 0 ? [describeListening(at)] : [])]
    return { text: withLine(text, lines.map(inBrackets).join('\n')), id, result }
  }

  /** Of much output both ends. */
  async #fresh(job: Job): Promise<string> {
    const { command, shown, inlineChars } = job
    const total = command.bytes
    job.shown = total
    if (total - shown <= inlineChars) return (await command.read(shown, Math.max(1, total - shown))).text
    const half = Math.floor(inlineChars / 2)
    const [head, tail] = [await command.read(shown, half), await command.read(total - half, half)]
    const omitted = `[... ${bytesText(total - half - head.next)} omitted; the scratchpad has all at its end ...]`
    return withLine(head.text, `${omitted}\n${tail.text}`)
  }
}

function misuse(detail: string): VitrineError {
  return new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'usage', detail } })
}
