import { createReadStream } from 'node:fs'
import { constants } from 'node:os'
import { PassThrough, type Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorText } from '../errno.ts'
import { isVitrineError } from '../errors.ts'
import type { Container, Exec, ExecEnd } from '../sandbox/docker/container.ts'
import type { Containers, Wanted } from '../sandbox/docker/containers.ts'
import type { LaunchEvents, LaunchedProcess, Launcher, LaunchRequest, ProcessEnd } from './launch.ts'
import { type Cookie, makeCookie } from './sweep.ts'

/** Bytes handed out and not yet taken back, above which reading stops. */
const windowBytes = 1024 * 1024
/** How often it is looked whether a command that is held back still runs. */
const lookMs = 300
/** After SIGKILL by name, in write mode; then the container goes with everything in it. */
const lastWaitMs = 500

/** Runs commands in containers. What a container is comes from outside, and confines in both modes. */
export function dockerLauncher(containers: Containers): Launcher {
  return {
    name: 'docker',
    terminals: false,
    limits: { by: 'container', note: 'the size of /tmp' },
    launch(request, events) {
      if (request.confinement && request.confinement.kind !== 'container')
        throw new Error(`the docker launcher cannot confine by ${request.confinement.kind}`)
      return new ContainedCommand(containers, request, events).launched
    },
  }
}

/** One command in a container. */
class ContainedCommand {
  readonly launched: LaunchedProcess
  readonly #containers: Containers
  readonly #request: LaunchRequest
  readonly #events: LaunchEvents
  readonly #wanted: Wanted
  readonly #cookie: Cookie = makeCookie()
  readonly #stdin: Writable | null
  #container: Container | undefined
  #exec: Exec | undefined
  /** What it was ended by from here. */
  #stopped: 'SIGTERM' | 'SIGKILL' | undefined
  /** Bytes handed out and not yet taken back. */
  readonly #flow = { open: 0, paused: false }

  constructor(containers: Containers, request: LaunchRequest, events: LaunchEvents) {
    this.#containers = containers
    this.#request = request
    this.#events = events
    this.#wanted = wantedBy(request)
    this.#stdin = request.stdin === null ? null : new PassThrough()
    this.#stdin?.on('error', () => {}) // the command did not read everything: that is its right
    this.launched = {
      stdin: request.stdin === 'pipe' ? this.#stdin : null,
      signal: (name) => this.#signal(name),
      terminate: () => this.#terminate(),
      destroy: () => this.#destroy(),
      consumed: (bytes) => this.#consumed(bytes),
    }
    this.#run().then((end) => events.end(end))
  }

  async #run(): Promise<ProcessEnd> {
    try {
      this.#container = await this.#containers.take(this.#wanted)
      return await this.#runIn(this.#container)
    } catch (error) {
      return neverRan(error)
    }
  }

  async #runIn(container: Container): Promise<ProcessEnd> {
    if (this.#stopped) {
      await this.#leave(container)
      return killedBy(this.#stopped)
    }
    const exec = await container.exec(this.#vector(), (stream, bytes) => {
      this.#handOut(bytes.length)
      this.#events.output(this.#request.merged ? 'stdout' : stream, bytes)
    })
    this.#exec = exec
    this.#feed(exec)
    // It came while the process was being started.
    if (this.#stopped === 'SIGTERM') this.#terminate()
    if (this.#stopped === 'SIGKILL') this.#destroy()
    const ended = await exec.ended
    exec.socket.destroy()
    this.#stdin?.destroy()
    try {
      return processEnd(ended, await this.#leave(container), this.#stopped)
    } catch (error) {
      return { ...killedBy('SIGKILL'), lost: errorText(error) }
    }
  }

  /** A shell joins both outputs where their order is to be exact. */
  #vector() {
    const { argv, merged, environment, cwd, stdin } = this.#request
    const join = ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1']
    return {
      argv: merged ? [...join, ...argv] : argv,
      environment: { ...environment, [this.#cookie.name]: this.#cookie.value },
      cwd,
      stdin: stdin !== null,
    }
  }

  #feed({ socket }: Exec): void {
    if (!this.#stdin) return
    const { stdin } = this.#request
    if (typeof stdin === 'number') passOn(stdin, this.#stdin)
    this.#stdin.pipe(socket)
  }

  /** In read mode nothing of the command stays. Resolves to how many had stayed. */
  async #leave(container: Container): Promise<number> {
    if (this.#wanted.mode === 'write') return 0
    const strangers = container.gone ? 0 : await container.strangers()
    if (strangers === 0) await this.#containers.giveBack(container, this.#wanted)
    else await this.#containers.remove(container)
    return strangers ?? 0
  }

  #signal(name: NodeJS.Signals): void {
    if (!this.#exec || !this.#container) return
    const cookie = this.#wanted.mode === 'write' ? `${this.#cookie.name}=${this.#cookie.value}` : undefined
    // What does not arrive any more finds nobody: the engine or the container has gone, and the command with it.
    this.#container.signal(name, cookie).catch(() => {})
  }

  #terminate(): void {
    this.#stopped ??= 'SIGTERM'
    this.#signal('SIGTERM')
    this.#signal('SIGCONT')
  }

  /** In read mode the container dies, which nothing in it survives. In write mode others may run in it. */
  #destroy(): void {
    this.#stopped = 'SIGKILL'
    const container = this.#container
    if (!container || !this.#exec) return
    const remove = () => {
      this.#containers.remove(container).catch(() => {}) // it is tried again when the shell is closed
    }
    if (this.#wanted.mode === 'read') {
      remove()
      return
    }
    this.#signal('SIGKILL')
    const last = setTimeout(remove, lastWaitMs)
    void this.#exec.ended.finally(() => clearTimeout(last))
  }

  #handOut(bytes: number): void {
    this.#flow.open += bytes
    if (this.#flow.open <= windowBytes || this.#flow.paused) return
    this.#flow.paused = true
    void this.#holdBack()
  }

  #consumed(bytes: number): void {
    this.#flow.open -= bytes
    if (this.#flow.open > windowBytes / 2) return
    this.#flow.paused = false
    this.#exec?.socket.resume()
  }

  /**
   * Reads nothing while the owner does not keep up, and the command runs. When it has ended, the engine waits two seconds
   * for the rest to be read and then drops it; that rest is bounded by the engine's buffers.
   */
  async #holdBack(): Promise<void> {
    while (this.#flow.paused && this.#exec) {
      this.#exec.socket.pause()
      await sleep(lookMs)
      if (this.#flow.paused && !(await this.#exec.runs())) {
        this.#exec.socket.resume()
        await sleep(lookMs)
      }
      if (this.#exec.socket.destroyed) return
    }
  }
}

function wantedBy({ confinement }: LaunchRequest): Wanted {
  if (!confinement) return { mode: 'write', fresh: false }
  return { mode: 'read', fresh: confinement.kind === 'container' && confinement.fresh }
}

/** A descriptor of ours, which stays open. */
function passOn(fd: number, to: Writable): void {
  const from = createReadStream('', { fd, autoClose: false })
  from.once('error', () => to.end())
  to.once('close', () => from.destroy())
  from.pipe(to)
}

function neverRan(error: unknown): ProcessEnd {
  if (isVitrineError(error))
    return { kind: 'failed', step: 'container', errno: error.code, refusal: error.refusal }
  return { kind: 'failed', step: 'container', errno: errorText(error) }
}

function processEnd(ended: ExecEnd, killed: number, stopped: NodeJS.Signals | undefined): ProcessEnd {
  switch (ended.kind) {
    case 'never':
      return { kind: 'failed', ...failureIn(ended.said) }
    case 'lost':
      return stopped ? killedBy(stopped) : { ...killedBy('SIGKILL'), lost: ended.said }
    case 'exited': {
      const survivors = { killed, alive: 0, group: 0 }
      const signal = signalOf(ended.code)
      if (signal) return { kind: 'signalled', signal, survivors, denials: [] }
      return { kind: 'exited', code: ended.code, survivors, denials: [] }
    }
  }
}

function killedBy(signal: NodeJS.Signals): Extract<ProcessEnd, { kind: 'signalled' }> {
  return { kind: 'signalled', signal, survivors: { killed: 0, alive: 0, group: 0 }, denials: [] }
}

/** The engine ends with 126 for everything that did not start; its words say why. */
function failureIn(said: string): { readonly step: string; readonly errno: string } {
  if (/chdir to cwd/.test(said)) return { step: 'chdir', errno: 'ENOENT' }
  if (/executable file not found|no such file or directory/i.test(said))
    return { step: 'exec', errno: 'ENOENT' }
  if (/exec format error/i.test(said)) return { step: 'exec', errno: 'ENOEXEC' }
  if (/permission denied|is a directory/i.test(said)) return { step: 'exec', errno: 'EACCES' }
  return { step: 'container', errno: said.trim() }
}

/** Signals that end a process unless it handles them, signal(7): 128+n stands for them. */
const fatal: readonly NodeJS.Signals[] = [
  ...([
    'SIGHUP',
    'SIGINT',
    'SIGQUIT',
    'SIGILL',
    'SIGTRAP',
    'SIGABRT',
    'SIGBUS',
    'SIGFPE',
    'SIGKILL',
  ] as const),
  ...([
    'SIGUSR1',
    'SIGSEGV',
    'SIGUSR2',
    'SIGPIPE',
    'SIGALRM',
    'SIGTERM',
    'SIGXCPU',
    'SIGXFSZ',
    'SIGSYS',
  ] as const),
]

/** An exit code that says that a signal ended it. A program that exits so by itself means just that, by convention. */
function signalOf(code: number): NodeJS.Signals | undefined {
  return fatal.find((name) => constants.signals[name] === code - 128)
}
