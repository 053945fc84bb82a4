import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, type EngineConnection, engineTried, isEngineError } from './engine.ts'
import { engineFrames, type FrameStream } from './frames.ts'

export interface ExecRequest {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin: boolean
}

export type ExecOutput = (stream: FrameStream, bytes: Buffer) => void

export type ExecEnd =
  /** 128+n if signal n ended it: the engine does not distinguish the two. */
  | { readonly kind: 'exited'; readonly code: number }
  /** It never started; the engine's message. */
  | { readonly kind: 'never'; readonly said: string }
  /** The engine or the container went away, so the outcome is unknown. */
  | { readonly kind: 'lost'; readonly said: string }

interface ExecState {
  readonly Running: boolean
  readonly ExitCode: number | null
  /** 0 until the process exists. */
  readonly Pid: number
}

/**
 * The engine's message, on the process's own output, when the process could not be started: the runtime's, or
 * a line of the engine's own when the container ended before.
 */
const neverStarted =
  /^(OCI runtime exec failed|((container|task) [0-9a-f]{64} |no running task found|cannot exec in a ).*\r\n$)/
const stateMs = 400
const everyMs = 10

/** A process in a container. */
export class Exec {
  /** Carries its input and output; `pause` and `resume` control the output. */
  readonly socket: Socket
  readonly ended: Promise<ExecEnd>
  readonly #engine: Engine
  readonly #id: string
  readonly #output: ExecOutput
  readonly #givenUp = new AbortController()
  #isFirst = true
  /** A first piece like the engine's message, held back until it is known whether the command wrote it. */
  #held: Parameters<ExecOutput> | undefined

  constructor(engine: Engine, id: string, { socket, head }: EngineConnection, output: ExecOutput) {
    this.#engine = engine
    this.#id = id
    this.socket = socket
    this.#output = output
    this.ended = this.#end()
    const add = engineFrames((stream, bytes) => this.#take(stream, bytes))
    add(head)
    socket.on('data', add)
  }

  /** No answer means no: the engine holds a lock while it waits for an ended process's output. */
  async runs(): Promise<boolean> {
    return (await this.#stateSoon())?.Running ?? false
  }

  /** Resolves when the process exists or has ended: a signal sent earlier would not reach it. */
  async started(): Promise<void> {
    for (;;) {
      const state = await this.#stateSoon()
      if (!state?.Running || state.Pid !== 0) return
      await sleep(everyMs)
    }
  }

  /** `ended` resolves with `lost`. */
  giveUp(): void {
    this.#givenUp.abort()
    this.socket.destroy()
  }

  #take(stream: FrameStream, bytes: Buffer): void {
    // The engine's message would be the only output: after more, the piece is the command's.
    this.#release()
    if (this.#isFirst && neverStarted.test(bytes.toString())) this.#held = [stream, bytes]
    else this.#output(stream, bytes)
    this.#isFirst = false
  }

  #release(): void {
    if (this.#held) this.#output(...this.#held)
    this.#held = undefined
  }

  async #end(): Promise<ExecEnd> {
    await closed(this.socket)
    const end = await this.#exit()
    if (end.kind !== 'never') this.#release()
    return end
  }

  /** The stream ends when both outputs are closed, maybe long before the process: polls for its exit code. */
  async #exit(): Promise<ExecEnd> {
    const { signal } = this.#givenUp
    try {
      for (let wait = 5; ; wait = Math.min(wait * 2, 200)) {
        const { Running, ExitCode, Pid } = await this.#state()
        if (!Running && ExitCode !== null)
          return this.#held && Pid === 0
            ? { kind: 'never', said: this.#held[1].toString() }
            : { kind: 'exited', code: ExitCode }
        await sleep(wait, undefined, { signal })
      }
    } catch (error) {
      if (signal.aborted) return { kind: 'lost', said: 'it did not end in time' }
      if (!isEngineError(error)) throw error
      return { kind: 'lost', said: error.said }
    }
  }

  #state(timeoutMs?: number): Promise<ExecState> {
    const { signal } = this.#givenUp
    const limit = timeoutMs === undefined ? {} : { timeoutMs }
    return this.#engine.call({ method: 'GET', path: `/exec/${this.#id}/json`, signal, ...limit })
  }

  async #stateSoon(): Promise<ExecState | undefined> {
    const state = await engineTried(this.#state(stateMs))
    return isEngineError(state) ? undefined : state
  }
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('end', resolve).once('close', resolve)
    // ECONNRESET: the engine went away; the request for the exit code then fails and reports it.
    socket.on('error', () => resolve())
  })
}
