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

interface Asked extends ToolInput {
  /** Only commands that end leave a state. */
  readonly session?: unknown
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
  async start(shell: Starting, mode: Mode, asked: Asked, options: ExecuteOptions): Promise<JobAnswer> {
    if (asked.next || asked.ignore_errors || asked.session !== undefined)
      throw misuse('background takes one line, without next, ignore_errors and session.')
    if (this.running >= maxRunning)
      throw misuse(`${maxRunning} background commands run already. End one with stop_command first.`)
    const { command: line, cwd, scratchpad, private_tmp: privateTmp, timeout_ms: timeoutMs } = asked
    const command = await shell.background(
      { command: line, mode, cwd, scratchpad, privateTmp, timeoutMs, merged: true },
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

  get running(): number {
    return [...this.#jobs.values()].filter(({ result }) => !result).length
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
    const part = (from: number, most: number) => command.read(from, Math.max(1, most))
    if (total - shown <= inlineChars) {
      const { text, next } = await part(shown, total - shown)
      // A character that has not arrived whole comes with the next answer.
      job.shown = next
      return text
    }
    job.shown = total
    const half = Math.floor(inlineChars / 2)
    const [head, tail] = [await part(shown, half), await part(total - half, half)]
    const omitted = `[... ${bytesText(total - half - head.next)} omitted; the scratchpad has all at its end ...]`
    return withLine(head.text, `${omitted}\n${tail.text}`)
  }
}

function misuse(detail: string): VitrineError {
  return new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'usage', detail } })
}
