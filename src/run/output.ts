import { inThisContext } from '../base/clock.ts'
import type { AnyResult, Stream } from '../base/types.ts'
import type { LaunchedProcess } from '../launch/launch.ts'
import { ListenerError } from '../messages/error.ts'
import { hasMethods } from '../request/fields.ts'
import type { OnOutput } from '../request/request.ts'
import { mayBeAsked } from './again.ts'
import { Collector } from './collect.ts'
import type { Cause, Execution, Listener } from './execution.ts'

/** What the output comes from. */
interface Source {
  readonly process: LaunchedProcess
  stop(cause: Cause): void
}

/** The output of a command. The launcher reads more when collector and listener have finished with it: slow ones slow the command. */
export class Output {
  readonly collector: Collector
  readonly listener: Callback | undefined
  readonly #source: Source
  /** Bytes with which they have not finished. */
  #open = 0
  #isReleased = false

  constructor(execution: Execution, source: Source) {
    const { request, options, context } = execution
    const { config, scratchpad } = context
    const { onOutput } = options
    this.#source = source
    // The addon calls from no asynchronous context: the callback finds that of its call (AsyncLocalStorage).
    this.listener =
      onOutput &&
      new Callback(inThisContext(onOutput), {
        onFailure: () => source.stop('cancelled'),
        withholds: mayBeAsked(execution),
      })
    this.collector = new Collector({
      inlineChars: options.inlineMaxChars ?? config.output.inline_max_chars,
      maxBytes: config.output.max_bytes,
      save: options.save ?? true,
      openSpill: () => scratchpad.open(request.scratchpad),
      overflow: () => source.stop('output-limit'),
    })
  }

  add(stream: Stream, chunk: Buffer): void {
    if (this.collector.isOver) return
    const stored = this.collector.add(stream, chunk)
    const told = this.listener?.tell(stream, chunk)
    this.#open += chunk.length
    if (this.#isReleased || !(stored || told)) return void this.#giveBack(chunk.length)
    void Promise.all([stored, told]).then(() => {
      if (!this.#isReleased) this.#giveBack(chunk.length)
    })
  }

  #giveBack(bytes: number): void {
    this.#open -= bytes
    this.#source.process.consumed(bytes)
  }

  /** The command is being killed: its pipes hold little, and its end must not wait for a consumer. */
  release(): void {
    this.#isReleased = true
    this.#giveBack(this.#open)
  }
}

/** Longer output is passed on as it comes: its line does not run again. */
const maxWithheld = 1024 * 1024

interface CallbackOptions {
  /** Called once, at the first failure. */
  readonly onFailure: () => void
  /** The command may run a second time: what the first one says is passed on when it is known that it does not. */
  readonly withholds: boolean
}

/** Calls the `onOutput` callback until it throws or its promise rejects. */
class Callback implements Listener {
  readonly #onOutput: OnOutput
  readonly #onFailure: () => void
  #withheld: (readonly [Stream, Buffer])[] | undefined
  #bytes = 0
  #failed: { readonly error: unknown } | undefined
  #over = false

  constructor(onOutput: OnOutput, { onFailure, withholds }: CallbackOptions) {
    this.#onOutput = onOutput
    this.#onFailure = onFailure
    this.#withheld = withholds ? [] : undefined
  }

  get withholds(): boolean {
    return this.#withheld !== undefined
  }

  /** Passes on a chunk. The promise settles when the function's own does. */
  tell(stream: Stream, chunk: Buffer): Promise<void> | undefined {
    if (!this.#withheld) return this.#pass(stream, chunk)
    this.#withheld.push([stream, chunk])
    this.#bytes += chunk.length
    return this.#bytes > maxWithheld ? this.#release() : undefined
  }

  async #release(): Promise<void> {
    const withheld = this.#withheld ?? []
    this.#withheld = undefined
    await Promise.all(withheld.map(([stream, chunk]) => this.#pass(stream, chunk)))
  }

  #pass(stream: Stream, chunk: Buffer): Promise<void> | undefined {
    if (this.#failed) return undefined
    try {
      const taking = this.#onOutput(stream, chunk)
      // zone.js and other libraries have promises of their own.
      if (!hasMethods(taking, 'then')) return undefined
      return Promise.resolve(taking).catch((error) => this.#fail(error))
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  /** Later rejections stay unhandled. */
  async end(result: AnyResult): Promise<void> {
    if (this.#withheld) await this.#release()
    this.#over = true
    if (this.#failed) throw new ListenerError(this.#failed.error, result)
  }

  #fail(error: unknown): void {
    if (this.#over) throw error
    if (this.#failed) return
    this.#failed = { error }
    this.#onFailure()
  }
}
