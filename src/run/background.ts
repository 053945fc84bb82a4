import type { Writable } from 'node:stream'
import { within } from '../base/clock.ts'
import { decode } from '../base/text.ts'
import type { Listening, Result } from '../base/types.ts'
import { NotReadyError } from '../messages/error.ts'
import { readPart, readWaitOptions } from '../request/background.ts'
import { checkSignal } from '../request/fields.ts'
import { checkTyped } from '../request/terminal.ts'
import type { Execution, Running } from './execution.ts'
import { split } from './stdout-lines.ts'

/** A part of the output of a command that may still run. */
export interface OutputPart {
  /** Both streams in the order in which they arrived. A character that has not arrived whole comes with the next part. */
  readonly text: string
  /** Where the next part begins, in bytes from the start of the output. */
  readonly next: number
  /** Bytes before `text` that are lost: with `save: false`, or where they could not be saved. Else 0. */
  readonly omitted: number
}

/** All of them are optional; the first that happens counts. */
export interface WaitOptions {
  /** Also resolves once the output from `since` on matches. Default: at its end only. */
  readonly output?: RegExp | undefined
  /** A position as of `read`. Default: where the last `read` ended. */
  readonly since?: number | undefined
  /** Milliseconds, 0 or more. Default: no limit. */
  readonly timeoutMs?: number | undefined
}

/** A command in the background. It ends by itself, by `stop`, at its deadline, with its shell, or with the process of that. */
export interface BackgroundCommand {
  /**
   * The output from a position on, at most `mostBytes` (default 1 MiB), without waiting. It is read back from the scratchpad where it is
   * too long for memory. Default: what is new since the last `read`; an empty text: nothing is.
   * Rejects with INVALID_REQUEST.
   */
  read(since?: number, mostBytes?: number): Promise<OutputPart>
  /** Bytes of output so far. */
  readonly bytes: number
  /** The lines of both streams from the first on, until it ends. They need not be read, and leaving the loop does not end it. Throws nothing. */
  lines(): AsyncIterable<string>
  /** Writes text as UTF-8, or raw bytes, to its input. Resolves when they are passed on, or it has ended. Rejects with INVALID_REQUEST. */
  write(data: string | Uint8Array): Promise<void>
  /** Ends its input, which stays open without. Throws nothing. */
  endInput(): void
  /** Resolves to the result at its end; with options earlier, to undefined. Rejects as `result`. */
  wait(): Promise<Result>
  wait(options: WaitOptions): Promise<Result | undefined>
  /** SIGTERM, `kill_grace_ms`, SIGKILL. Resolves to the result, which is `cancelled` if it still ran. Rejects as `result`. */
  stop(): Promise<Result>
  /** Sends a signal to its process group. Throws INVALID_REQUEST. */
  signal(name: NodeJS.Signals): void
  /** Linux, where commands have sockets of their own: the addresses at which it has begun to listen so far, 32 at most. */
  readonly listening: readonly Listening[]
  /** Of its end. Rejects with a `ListenerError` if `onOutput` failed. */
  readonly result: Promise<Result>
  /** `await using server = await shell.background(…)` stops it at the end of the block. Rejects as `result`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Resolves when it is ready. Throws the abort reason of the call's signal, a `NotReadyError`, and as `result`. */
export async function whenReady(
  { running, request, options }: Execution,
  result: Promise<Result>,
): Promise<BackgroundCommand> {
  if (!running || !request.background) throw await result // it rejects: the launch has thrown
  const command = new Following(running, result, request.stdin as Writable | null)
  await Promise.race([running.begun, result])
  const { ready, readyMs } = request.background
  const state = await within(command.isReady(ready), readyMs, 'late')
  if (state === true) return command
  const ended = await (state === 'late' ? command.stop() : result)
  options.signal?.throwIfAborted()
  throw new NotReadyError(ended, state === 'late' ? readyMs : undefined)
}

const partBytes = 1024 * 1024
/** Of older output, so that a match is found that comes in parts. */
const tailChars = 8192

class Following implements BackgroundCommand {
  readonly result: Promise<Result>
  readonly #running: Running
  readonly #input: Writable | null
  #isOver = false
  #position = 0
  #change: Promise<void> | undefined
  #changed = () => {}

  constructor(running: Running, result: Promise<Result>, input: Writable | null) {
    this.result = result
    this.#running = running
    this.#input = input
    running.onChange = () => this.#tell()
    const over = () => {
      this.#isOver = true
      this.#tell()
    }
    result.then(over, over)
  }

  get listening(): readonly Listening[] {
    return this.#running.listening
  }

  get bytes(): number {
    return this.#running.collector.total
  }

  async read(since?: number, mostBytes?: number): Promise<OutputPart> {
    const asked = readPart({ since, mostBytes })
    const part = await this.#partAt(asked.since ?? this.#position, asked.mostBytes)
    this.#position = part.next
    return part
  }

  lines(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => split(this.#chunks()) }
  }

  async write(data: string | Uint8Array): Promise<void> {
    checkTyped(data)
    const taken = new Promise<void>((resolve) => {
      if (!this.#input?.writable) resolve()
      else this.#input.write(data, () => resolve())
    })
    await Promise.race([taken, this.#end()])
  }

  endInput(): void {
    this.#input?.end()
  }

  wait(): Promise<Result>
  wait(options: WaitOptions): Promise<Result | undefined>
  async wait(options: WaitOptions = {}): Promise<Result | undefined> {
    const { output, since = this.#position, timeoutMs } = readWaitOptions(options)
    const met =
      output && this.#until(matching(output), since).then((isMet) => (isMet ? undefined : this.result))
    return within(Promise.race(met ? [met, this.result] : [this.result]), timeoutMs, undefined)
  }

  stop(): Promise<Result> {
    this.#running.stop('cancelled')
    return this.result
  }

  signal(name: NodeJS.Signals): void {
    checkSignal(name)
    this.#running.signal(name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async isReady(ready: NonNullable<Execution['request']['background']>['ready']): Promise<boolean> {
    if (ready === undefined) return true
    if (ready === 'listening') return this.#until(() => this.listening.length > 0, 0)
    return this.#until(typeof ready === 'function' ? ready : matching(ready), 0)
  }

  /** Whether the output from a position on meets it, before the command ends. */
  async #until(isMet: (text: string) => boolean, from: number): Promise<boolean> {
    let text = ''
    for (let at = from; ; ) {
      const wasOver = this.#isOver
      const seen = this.bytes
      const part = await this.#partAt(at, partBytes)
      text = text.slice(-tailChars) + part.text
      if (isMet(text)) return true
      if (part.next === at && wasOver) return false
      // There may be the beginning of a character, of which no part has come.
      if (part.next === at) await this.#changes(seen)
      at = part.next
    }
  }

  async #partAt(since: number, mostBytes: number): Promise<OutputPart> {
    const isOver = this.#isOver
    const { at, bytes } = await this.#running.collector.read(since, mostBytes)
    const kept = bytes.subarray(0, bytes.length - (isOver ? 0 : unfinished(bytes)))
    return { text: decode(kept, { start: since > 0 }), next: at + kept.length, omitted: at - since }
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; ; ) {
      const wasOver = this.#isOver
      const part = await this.#running.collector.read(at, partBytes)
      if (part.bytes.length > 0) yield part.bytes
      else if (wasOver) return
      else await this.#changes(at)
      at = part.at + part.bytes.length
    }
  }

  /** Resolves once there may be more than at a position. */
  #changes(at: number): Promise<void> {
    if (this.#isOver || this.#running.collector.total > at) return Promise.resolve()
    this.#change ??= new Promise((resolve) => {
      this.#changed = resolve
    })
    return this.#change
  }

  #tell(): void {
    this.#change = undefined
    this.#changed()
  }

  #end(): Promise<unknown> {
    return this.result.catch(() => {})
  }
}

/** Not from where a sticky or global one has found something before. */
function matching(pattern: RegExp): (text: string) => boolean {
  const own = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
  return (text) => own.test(text)
}

/** The bytes at the end that begin a character of UTF-8 and lack its rest. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}
