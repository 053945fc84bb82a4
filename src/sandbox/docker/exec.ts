import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { engineProblems } from '../../messages/docker.ts'
import { type Engine, engineTried, isEngineError } from './engine.ts'
import { engineFrames, type FrameStream } from './keeper.ts'
import type { ContainerUser } from './spec.ts'

export interface ExecRequest {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin: boolean
}

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

const stateMs = 400

function bodyOf({ argv, environment, cwd, stdin }: ExecRequest, { uid, gid }: ContainerUser) {
  return {
    Cmd: argv,
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    WorkingDir: cwd,
    User: `${uid}:${gid}`,
    AttachStdin: stdin,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
  }
}

export class Exec {
  /** Carries its input and output; `pause` and `resume` control the output. */
  readonly socket: Socket
  readonly ended: Promise<ExecEnd>
  readonly #engine: Engine
  readonly #id: string
  readonly #givenUp = new AbortController()

  private constructor(engine: Engine, id: string, socket: Socket, words: FirstWords) {
    this.#engine = engine
    this.#id = id
    this.socket = socket
    this.ended = this.#end(words)
  }

  /** Throws EngineError, or the signal's reason: then nothing was started. */
  static async start(
    engine: Engine,
    container: string,
    user: ContainerUser,
    request: ExecRequest,
    output: (stream: FrameStream, bytes: Buffer) => void,
    signal?: AbortSignal,
  ): Promise<Exec> {
    const body = bodyOf(request, user)
    const path = `/containers/${container}/exec`
    const { Id: id } = await engine.call<{ readonly Id: string }>({ method: 'POST', path, body, signal })
    // Aborting later has no effect: the engine starts what it was asked to start, whether or not its client waits.
    signal?.throwIfAborted()
    const { socket, head } = await engine.hijack({
      method: 'POST',
      path: `/exec/${id}/start`,
      body: { Detach: false, Tty: false },
    })
    const words = new FirstWords(output)
    const frames = engineFrames((stream, bytes) => words.add(stream, bytes))
    if (head.length > 0) frames.add(head)
    socket.on('data', (chunk: Buffer) => frames.add(chunk))
    return new Exec(engine, id, socket, words)
  }

  /** No answer means no: the engine holds a lock while it waits for an ended process's output. */
  async runs(): Promise<boolean> {
    return (await this.#state())?.Running ?? false
  }

  /** Resolves when the process exists or has ended: a signal sent earlier would not reach it. */
  async started(): Promise<void> {
    for (;;) {
      const state = await this.#state()
      if (!state?.Running || state.Pid !== 0) return
      await sleep(everyMs)
    }
  }

  /** `ended` resolves with `lost`. */
  giveUp(): void {
    this.#givenUp.abort()
    this.socket.destroy()
  }

  async #end(words: FirstWords): Promise<ExecEnd> {
    await closed(this.socket)
    const end = await this.#exit(words.held)
    if (end.kind !== 'never') words.release()
    return end
  }

  /** The stream ends when both outputs are closed, maybe long before the process: polls for its exit code. */
  async #exit(said: string): Promise<ExecEnd> {
    const { signal } = this.#givenUp
    try {
      for (let wait = 5; ; wait = Math.min(wait * 2, 200)) {
        const path = `/exec/${this.#id}/json`
        const state = await this.#engine.call<ExecState>({ method: 'GET', path, signal })
        if (!state.Running && state.ExitCode !== null) {
          if (said !== '' && state.Pid === 0) return { kind: 'never', said }
          return { kind: 'exited', code: state.ExitCode }
        }
        await sleep(wait, undefined, { signal })
      }
    } catch (error) {
      if (signal.aborted) return { kind: 'lost', said: engineProblems.unended }
      if (!isEngineError(error)) throw error
      return { kind: 'lost', said: error.status === 404 ? engineProblems.gone : error.message }
    }
  }

  async #state(): Promise<ExecState | undefined> {
    const { signal } = this.#givenUp
    const path = `/exec/${this.#id}/json`
    const call = this.#engine.call<ExecState>({ method: 'GET', path, timeoutMs: stateMs, signal })
    const state = await engineTried(call)
    return isEngineError(state) ? undefined : state
  }
}

const everyMs = 10

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('end', resolve).once('close', resolve)
    // ECONNRESET: the engine went away; the request for the exit code then fails and reports it.
    socket.on('error', () => resolve())
  })
}

/**
 * The engine's message, on the process's own output, when the process could not be started: the runtime's, or
 * a line of the engine's own when the container ended before.
 */
const neverStarted =
  /^(OCI runtime exec failed|((container|task) [0-9a-f]{64} |no running task found|cannot exec in a ).*\r\n$)/
/** The message is a single short piece. */
const longest = 8192

/** Holds back a first piece like the engine's message, until it is known whether the command wrote it. */
class FirstWords {
  readonly #output: (stream: FrameStream, bytes: Buffer) => void
  #isFirst = true
  #piece: { readonly stream: FrameStream; readonly bytes: Buffer } | undefined

  constructor(output: (stream: FrameStream, bytes: Buffer) => void) {
    this.#output = output
  }

  get held(): string {
    return this.#piece?.bytes.toString() ?? ''
  }

  add(stream: FrameStream, bytes: Buffer): void {
    const maybe = this.#isFirst && bytes.length < longest && neverStarted.test(bytes.toString())
    this.#isFirst = false
    // The engine's message would be the only output: after more, the piece is the command's.
    this.release()
    if (maybe) this.#piece = { stream, bytes }
    else this.#output(stream, bytes)
  }

  release(): void {
    const piece = this.#piece
    this.#piece = undefined
    if (piece) this.#output(piece.stream, piece.bytes)
  }
}
