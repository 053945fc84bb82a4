import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { VitrineError } from '../../errors.ts'
import { containerFailed } from '../../result/explain-docker.ts'
import { type Connection, type Engine, isEngineError } from './engine.ts'
import { FirstWords } from './first-words.ts'
import { type FrameStream, Frames } from './frames.ts'
import { removeContainer } from './left-over.ts'
import type { ContainerUser } from './spec.ts'
import { type MountPoint, readMounts } from './workspace.ts'

/** A process to start in a container. */
export interface ExecRequest {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  /** It is given something to read. */
  readonly stdin: boolean
}

/** How a process in a container ended. */
export type ExecEnd =
  /** 128+n when signal n ended it: the engine does not tell the two apart. */
  | { readonly kind: 'exited'; readonly code: number }
  /** There never was one: the engine's words. */
  | { readonly kind: 'never'; readonly said: string }
  /** The engine, or the container, went away; nobody knows how it ended. */
  | { readonly kind: 'lost'; readonly said: string }

/** A process that runs in a container. */
export interface Exec {
  /** Its input, and where its output comes from: `pause` and `resume` it. */
  readonly socket: Socket
  readonly ended: Promise<ExecEnd>
  /** Whether it runs still. */
  runs(): Promise<boolean>
}

interface ExecState {
  readonly Running: boolean
  readonly ExitCode: number | null
  /** 0 when there never was a process. */
  readonly Pid: number
}

const answerMs = 400
/** How long a first process may take to say what is mounted; what it has not said then is not there. */
const saidMs = 10_000

/** init and the one that waits for the end of its input. */
const ownProcesses = 2
/** What ends by itself right behind a command is not taken for something that stayed. */
const settleMs = 40

/** A container that runs. */
export class Container {
  readonly id: string
  readonly #engine: Engine
  readonly #user: ContainerUser
  readonly #keeper: Socket
  #removal: Promise<void> | undefined
  #gone = false

  /** The boot of the kernel that it runs on. */
  readonly kernel: string
  /** What is mounted in it. */
  readonly mounts: readonly MountPoint[]

  private constructor(engine: Engine, id: string, user: ContainerUser, keeper: Socket, said: string) {
    this.#engine = engine
    this.id = id
    this.#user = user
    this.#keeper = keeper
    this.kernel = said.slice(0, said.indexOf('\n'))
    this.mounts = readMounts(said.slice(said.indexOf('\n') + 1))
    const gone = () => {
      this.#gone = true
    }
    keeper.on('error', gone).on('close', gone).on('end', gone).resume()
    keeper.unref()
  }

  /** Creates and starts one, whose life hangs on a connection of this process. Throws EngineError; then there is none. */
  static async start(engine: Engine, spec: object, name: string, user: ContainerUser): Promise<Container> {
    const { Id: id } = await engine.call<{ readonly Id: string }>({
      method: 'POST',
      path: '/containers/create',
      query: { name },
      body: spec,
    })
    try {
      const query = { stream: '1', stdin: '1', stdout: '1' }
      const keeper = await engine.hijack({ method: 'POST', path: `/containers/${id}/attach`, query })
      const said = firstLines(keeper)
      await engine.call({ method: 'POST', path: `/containers/${id}/start` })
      return new Container(engine, id, user, keeper.socket, await said)
    } catch (error) {
      await removeContainer(engine, id).catch(() => {}) // why it did not start is what is to be told
      throw error
    }
  }

  /** It has ended, or is being removed. */
  get gone(): boolean {
    return this.#gone
  }

  /** Starts a process as the host's user. Throws SANDBOX_UNAVAILABLE: then there is none. */
  async exec(request: ExecRequest, output: (stream: FrameStream, bytes: Buffer) => void): Promise<Exec> {
    const { id, socket, head } = await this.#begin(request)
    const words = new FirstWords(output)
    const frames = new Frames((stream, bytes) => words.add(stream, bytes))
    if (head.length > 0) frames.add(head)
    socket.on('data', (chunk: Buffer) => frames.add(chunk))
    const ended = closed(socket).then(async () => {
      const end = await this.#endOf(id, words.held)
      if (end.kind !== 'never') words.release()
      return end
    })
    return { socket, ended, runs: () => this.#runs(id) }
  }

  /**
   * Sends a signal: to everybody, where one command at a time runs here; with a cookie to every process that carries it in its
   * environment. Throws SANDBOX_UNAVAILABLE.
   */
  async signal(name: NodeJS.Signals, cookie?: string): Promise<void> {
    const signal = name.replace(/^SIG/, '')
    const script = cookie === undefined ? `kill -${signal} -1` : `${toCarriers} carriers ${signal} ${cookie}`
    await this.#command(['/bin/sh', '-c', script])
  }

  /** How many processes are there that no command was told to leave; undefined when that cannot be seen. */
  async strangers(): Promise<number | undefined> {
    const first = await this.#processes()
    if (first === undefined || first <= ownProcesses) return first && 0
    await sleep(settleMs)
    const left = await this.#processes()
    return left && Math.max(0, left - ownProcesses)
  }

  /** Kills everything in it and removes it. Resolves when it is gone; throws EngineError. */
  remove(): Promise<void> {
    this.#gone = true
    this.#removal ??= removeContainer(this.#engine, this.id).finally(() => this.#keeper.destroy())
    return this.#removal
  }

  async #begin(request: ExecRequest): Promise<Connection & { readonly id: string }> {
    try {
      const id = await this.#create(request)
      const body = { Detach: false, Tty: false }
      return { id, ...(await this.#engine.hijack({ method: 'POST', path: `/exec/${id}/start`, body })) }
    } catch (error) {
      if (!isEngineError(error)) throw error
      throw new VitrineError({
        code: 'SANDBOX_UNAVAILABLE',
        for: 'docker',
        ...containerFailed(error.message),
      })
    }
  }

  async #create({ argv, environment, cwd, stdin }: ExecRequest): Promise<string> {
    const { Id } = await this.#engine.call<{ readonly Id: string }>({
      method: 'POST',
      path: `/containers/${this.id}/exec`,
      body: {
        Cmd: argv,
        Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
        WorkingDir: cwd,
        User: `${this.#user.uid}:${this.#user.gid}`,
        AttachStdin: stdin,
        AttachStdout: true,
        AttachStderr: true,
        Tty: false,
      },
    })
    return Id
  }

  /** The stream ends when both outputs are closed, which a process can do long before it ends. */
  async #endOf(id: string, said: string): Promise<ExecEnd> {
    try {
      for (let wait = 5; ; wait = Math.min(wait * 2, 200)) {
        const state = await this.#engine.call<ExecState>({ method: 'GET', path: `/exec/${id}/json` })
        if (!state.Running && state.ExitCode !== null) {
          if (said !== '' && state.Pid === 0) return { kind: 'never', said }
          return { kind: 'exited', code: state.ExitCode }
        }
        await sleep(wait)
      }
    } catch (error) {
      if (!isEngineError(error)) throw error
      return { kind: 'lost', said: error.status === 404 ? 'the container is gone' : error.message }
    }
  }

  /** An engine that does not answer holds a lock: it waits for the output of a process that has ended (moby, monitor.go). */
  async #runs(id: string): Promise<boolean> {
    const request = { method: 'GET', path: `/exec/${id}/json`, timeoutMs: answerMs } as const
    try {
      return (await this.#engine.call<ExecState>(request)).Running
    } catch (error) {
      if (isEngineError(error)) return false
      throw error
    }
  }

  /** Counted while they stand still: who forks and ends, over and over, is another one by the time that the engine's ps looks. */
  async #processes(): Promise<number | undefined> {
    const at = `/containers/${this.id}`
    try {
      await this.#engine.call({ method: 'POST', path: `${at}/pause` })
      const top = { method: 'GET', path: `${at}/top` } as const
      const { Processes } = await this.#engine.call<{ readonly Processes: readonly unknown[] }>(top)
      await this.#engine.call({ method: 'POST', path: `${at}/unpause` })
      return Processes.length
    } catch (error) {
      if (isEngineError(error)) return undefined
      throw error
    }
  }

  async #command(argv: readonly string[]): Promise<void> {
    const { ended } = await this.exec({ argv, environment: {}, cwd: '/', stdin: false }, () => {})
    await ended
  }
}

/** `carriers SIGNAL COOKIE`: sends the signal to whoever has the cookie in its environment; KILL until nobody is found. */
const toCarriers = `
carriers() {
  for pass in 1 2 3 4 5; do
    found=
    for process in /proc/[0-9]*; do
      grep -qs "$2" "$process/environ" && kill "-$1" "\${process#/proc/}" 2>/dev/null && found=1
    done
    [ "$1" = KILL ] && [ -n "$found" ] || return 0
  done
}
`

/** What a first process says up to an empty line, or to its end. */
function firstLines({ socket, head }: Connection): Promise<string> {
  let said = ''
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(late)
      socket.off('data', more)
      resolve(said)
    }
    const late = setTimeout(done, saidMs)
    const frames = new Frames((_, bytes) => {
      said += bytes.toString('latin1')
      if (said.endsWith('\n\n')) done()
    })
    const more = (chunk: Buffer) => frames.add(chunk)
    more(head)
    socket.on('data', more).once('error', done).once('close', done).once('end', done)
  })
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('end', resolve).once('close', resolve)
    // ECONNRESET: the engine went away; asking it for the exit code says so.
    socket.on('error', () => resolve())
  })
}
