import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../../base/clock.ts'
import { type Engine, type EngineConnection, engineError } from './engine.ts'
import { Exec, type ExecOutput, type ExecRequest } from './exec.ts'
import { engineFrames } from './frames.ts'
import { removeContainer } from './left-over.ts'
import { type MountPoint, readMountTable } from './mounts.ts'
import type { ContainerUser } from './spec.ts'

/** How long a running first process may take to report its mounts. */
const introductionMs = 10_000
const answerMs = 2000
/** init and the keeper. */
const ownProcesses = 2
/** Pauses before counting again: processes that end shortly after the command are not survivors. */
const settleMs = [0, 10, 20, 40]
/** How long its end may take after its input is closed; the engine then kills one that is paused. */
const endMs = 400
const signalMs = 5000

/** Lives as long as a connection of this process to its first process. */
export class Container {
  readonly id: string
  /** The boot id of the kernel it runs on. */
  kernel = ''
  mounts: readonly MountPoint[] = []
  readonly #engine: Engine
  readonly #user: ContainerUser
  readonly #socket: Socket
  /** Resolves when the connection, and so the container, has ended. */
  readonly #ended: Promise<true>
  #hasEnded = false
  readonly #introduction: Promise<string | undefined>
  /** For the next answers of the first process. */
  readonly #waiting: ((answer: string | undefined) => void)[] = []
  #text = ''
  #errors = ''
  #end: Promise<void> | undefined
  #removal: Promise<void> | undefined
  #oomKills = 0

  private constructor(engine: Engine, id: string, user: ContainerUser, { socket, head }: EngineConnection) {
    this.#engine = engine
    this.id = id
    this.#user = user
    this.#socket = socket
    this.#ended = new Promise((resolve) => {
      const end = () => {
        this.#hasEnded = true
        for (const answer of this.#waiting.splice(0)) answer(undefined)
        resolve(true)
      }
      socket.once('end', end).once('close', end).on('error', end)
    })
    const add = engineFrames((stream, bytes) => {
      if (stream === 'stderr') this.#errors += bytes.toString()
      else this.#read(bytes.toString('latin1'))
    })
    this.#introduction = this.#answer(introductionMs)
    add(head)
    socket.on('data', add).unref()
  }

  /** Throws EngineError. */
  static async start(engine: Engine, name: string, spec: object, user: ContainerUser): Promise<Container> {
    const create = { method: 'POST', path: '/containers/create', query: { name }, body: spec } as const
    const { Id: id } = await engine.call<{ readonly Id: string }>(create)
    try {
      const query = { stream: '1', stdin: '1', stdout: '1', stderr: '1' }
      const attach = { method: 'POST', path: `/containers/${id}/attach`, query } as const
      const container = new Container(engine, id, user, await engine.hijack(attach))
      await container.#start()
      return container
    } catch (error) {
      // the reason it did not start is what is reported
      void removeContainer(engine, id).catch(() => {})
      throw error
    }
  }

  async #start(): Promise<void> {
    await this.#engine.call({ method: 'POST', path: `/containers/${this.id}/start` })
    const text = await this.#introduction
    if (text === undefined) {
      this.#socket.destroy()
      const said = `the /bin/sh of the image does not run: ${this.#errors.trim()}`
      throw engineError(this.#engine.socketPath, 409, said)
    }
    const end = text.indexOf('\n')
    this.kernel = end < 0 ? text : text.slice(0, end)
    this.mounts = end < 0 ? [] : readMountTable(text.slice(end))
  }

  get gone(): boolean {
    return this.#end !== undefined || this.#hasEnded
  }

  /** Starts a process as the commands' user. Throws EngineError, or the signal's reason: then nothing was started. */
  async exec(
    { argv, environment, cwd, stdin }: ExecRequest,
    output: ExecOutput,
    signal?: AbortSignal,
  ): Promise<Exec> {
    const body = {
      Cmd: argv,
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      WorkingDir: cwd,
      User: `${this.#user.uid}:${this.#user.gid}`,
      AttachStdin: stdin,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
    }
    const create = { method: 'POST', path: `/containers/${this.id}/exec`, body, signal } as const
    const { Id: id } = await this.#engine.call<{ readonly Id: string }>(create)
    // Aborting later has no effect: the engine starts what it was asked to start, whether or not its client waits.
    signal?.throwIfAborted()
    const start = { method: 'POST', path: `/exec/${id}/start`, body: { Detach: false, Tty: false } } as const
    return new Exec(this.#engine, id, await this.#engine.hijack(start), output)
  }

  /**
   * To every process of the commands' user, where only one command runs; else to all with the cookie in their
   * environment. Throws EngineError.
   */
  async signal(name: NodeJS.Signals, cookie = ''): Promise<void> {
    const argv = ['/bin/sh', '-c', signalScript, 'signal', name.replace(/^SIG/, ''), cookie]
    const exec = await this.exec({ argv, environment: {}, cwd: '/', stdin: false }, () => {})
    const late = setTimeout(() => exec.giveUp(), signalMs)
    await exec.ended
    clearTimeout(late)
  }

  /** Neither init nor keeper; undefined: unknown. The kernel's count includes a process that keeps forking. */
  async strangers(): Promise<number | undefined> {
    let found: number | undefined
    for (const wait of settleMs) {
      await sleep(wait)
      const { tasks, processes } = await this.#count()
      if (tasks === ownProcesses) return 0
      if (!(tasks > ownProcesses)) return undefined
      found = Math.max(1, processes - ownProcesses)
    }
    return found
  }

  /** How many of its processes the kernel has killed at the memory limit since the last call. */
  async outOfMemory(): Promise<number> {
    const total = (await this.#count()).oomKills || this.#oomKills
    const more = total - this.#oomKills
    this.#oomKills = total
    return more
  }

  /** Ends everything in it; the engine removes it afterwards. Throws EngineError if it does not end. */
  end(): Promise<void> {
    this.#end ??= this.#endOrKill()
    return this.#end
  }

  async #endOrKill(): Promise<void> {
    this.#socket.end()
    if (!(await within(this.#ended, endMs, false))) await removeContainer(this.#engine, this.id)
  }

  /** Also when its end is unknown. Throws EngineError. */
  remove(): Promise<void> {
    this.#removal ??= this.#remove()
    return this.#removal
  }

  async #remove(): Promise<void> {
    await this.end().catch(() => {}) // an engine that hangs may still remove it
    await removeContainer(this.#engine, this.id).finally(() => this.#socket.destroy())
  }

  /** The tasks of its cgroup (pids.current), from which no process escapes by forking; NaN: unknown. */
  async #count() {
    if (!this.#hasEnded) this.#socket.write('\n')
    const answer = this.#hasEnded ? undefined : await this.#answer(answerMs)
    const numbers = (answer ?? '-').split(' ').map(Number)
    const [tasks = Number.NaN, processes = Number.NaN, oomKills = Number.NaN] = numbers
    return { tasks, processes, oomKills }
  }

  /** The next one of the first process. Undefined: it has ended, or is frozen. */
  #answer(ms: number): Promise<string | undefined> {
    const answer = new Promise<string | undefined>((resolve) => this.#waiting.push(resolve))
    return within(answer, ms, undefined)
  }

  #read(text: string): void {
    const answers = (this.#text + text).split('\n\n')
    this.#text = answers.pop() ?? ''
    for (const answer of answers) this.#waiting.shift()?.(answer)
  }
}

/**
 * A shell whose child is signalled first would continue with the rest of its line, so all of them are stopped before
 * the first one is signalled. A stopped process handles the signal only once it is continued.
 */
const signalScript = `
if [ -z "$2" ]; then
  kill "-$1" -1
  [ "$1" != TERM ] || kill -CONT -1
  exit
fi
send() { kill "-$1" "$2" 2>/dev/null; }
all=
for pass in 1 2 3 4 5 6 7 8 9; do
  new=
  for file in $(grep -ls "$2" /proc/[0-9]*/environ); do
    pid=\${file#/proc/} pid=\${pid%/environ}
    case " $all " in *" $pid "*) ;; *) new="$new $pid" && send STOP $pid ;; esac
  done
  [ -n "$new" ] || break
  all="$all$new"
done
for pid in $all; do send "$1" $pid; done
case $1 in STOP | TSTP | TTIN | TTOU | KILL) ;; *) for pid in $all; do send CONT $pid; done ;; esac`
