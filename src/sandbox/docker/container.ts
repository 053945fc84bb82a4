import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../../base/clock.ts'
import { engineProblems, noShellIn } from '../../messages/docker.ts'
import { type Engine, EngineError, isEngineError, refusalOf } from './engine.ts'
import { Exec, type ExecRequest } from './exec.ts'
import { type ContainerCounts, type FrameStream, type Introduction, Keeper } from './keeper.ts'
import { removeContainer } from './left-over.ts'
import type { ContainerUser } from './spec.ts'
import { type MountPoint, readMountTable } from './workspace.ts'

/** init and the keeper. */
const ownProcesses = 2
/** Pauses before counting again: processes that end shortly after the command are not survivors. */
const settleMs = [10, 20, 40]
/** How long its end may take after its input is closed; a paused one is killed by the engine. */
const endMs = 400
const killMs = 2000
const signalMs = 5000

interface NewContainer {
  readonly spec: object
  readonly name: string
  readonly image: string
  readonly user: ContainerUser
}

export class Container {
  readonly id: string
  readonly name: string
  /** The boot id of the kernel it runs on. */
  readonly kernel: string
  readonly mounts: readonly MountPoint[]
  readonly #engine: Engine
  readonly #user: ContainerUser
  readonly #keeper: Keeper
  #end: Promise<void> | undefined
  #removal: Promise<void> | undefined
  #oomKills = 0

  private constructor(
    engine: Engine,
    id: string,
    { name, user }: NewContainer,
    keeper: Keeper,
    { kernel, mountinfo }: Introduction,
  ) {
    this.#engine = engine
    this.id = id
    this.name = name
    this.#user = user
    this.#keeper = keeper
    this.kernel = kernel
    this.mounts = readMountTable(mountinfo)
  }

  /** Lives as long as a connection of this process. Throws EngineError, SANDBOX_UNAVAILABLE. */
  static async start(engine: Engine, made: NewContainer): Promise<Container> {
    const id = await engine.createContainer(made.name, made.spec)
    try {
      const query = { stream: '1', stdin: '1', stdout: '1', stderr: '1' }
      const path = `/containers/${id}/attach`
      const keeper = new Keeper(await engine.hijack({ method: 'POST', path, query }))
      await engine.call({ method: 'POST', path: `/containers/${id}/start` })
      const introduction = await keeper.introduction()
      if (introduction) return new Container(engine, id, made, keeper, introduction)
      if (keeper.hasEnded) throw refusalOf(noShellIn(made.image, keeper.errors))
      keeper.destroy()
      throw new EngineError(0, 'ETIMEDOUT', engineProblems.silent)
    } catch (error) {
      // the reason it did not start is what is reported
      void removeContainer(engine, id, { inBackground: true }).catch(() => {})
      throw error
    }
  }

  get gone(): boolean {
    return this.#end !== undefined || this.#keeper.hasEnded
  }

  /** Starts a process as the commands' user. Throws EngineError; then nothing was started. */
  exec(
    request: ExecRequest,
    output: (stream: FrameStream, bytes: Buffer) => void,
    signal?: AbortSignal,
  ): Promise<Exec> {
    return Exec.start(this.#engine, this.id, this.#user, request, output, signal)
  }

  /**
   * To every process of the commands' user, where only one command runs; else to all with the cookie in their
   * environment, so that none runs on while others are signalled. Throws EngineError.
   */
  async signal(name: NodeJS.Signals, cookie?: string): Promise<void> {
    const argv = cookie === undefined ? signalAll(name) : signalCarriers(name, cookie)
    const exec = await this.exec({ argv, environment: {}, cwd: '/', stdin: false }, () => {})
    const late = setTimeout(() => exec.giveUp(), signalMs)
    await exec.ended
    clearTimeout(late)
  }

  /**
   * Neither init nor keeper; undefined: unknown. The kernel's count includes a process that keeps forking.
   */
  async strangers(): Promise<number | undefined> {
    for (const wait of settleMs) {
      const count = await this.#keeper.count()
      if (count?.tasks === undefined || count.tasks < ownProcesses) return undefined
      if (count.tasks === ownProcesses) return 0
      await sleep(wait)
    }
    const count = await this.#keeper.count()
    return count && Math.max(count.tasks === ownProcesses ? 0 : 1, count.processes - ownProcesses)
  }

  /** How many of its processes the kernel has killed at the memory limit since the last call. */
  async outOfMemory(): Promise<number> {
    const total: ContainerCounts['oomKills'] = (await this.#keeper.count())?.oomKills ?? this.#oomKills
    const more = total - this.#oomKills
    this.#oomKills = total
    return more
  }

  /** Ends everything in it; the engine removes it afterwards. Throws EngineError if it does not end. */
  end(): Promise<void> {
    this.#end ??= this.#ended()
    return this.#end
  }

  /** Also when its end is unknown. A removal that failed is tried again by the next call. Throws EngineError. */
  remove(): Promise<void> {
    this.#removal ??= this.#removed().catch((error) => {
      this.#removal = undefined
      throw error
    })
    return this.#removal
  }

  /** An engine that did not end it may hang: this process does not wait for it. */
  async #removed(): Promise<void> {
    const inBackground = await this.end().then(
      () => false,
      () => true,
    )
    try {
      await removeContainer(this.#engine, this.id, { inBackground })
    } finally {
      this.#keeper.destroy()
    }
  }

  async #ended(): Promise<void> {
    this.#keeper.end()
    if (await this.#endsWithin(endMs)) return
    const path = `/containers/${this.id}/kill`
    try {
      await this.#engine.call({ method: 'POST', path, timeoutMs: killMs })
    } catch (error) {
      // 404, 409: it has ended meanwhile.
      if (!isEngineError(error) || error.status === 0) throw error
    }
    if (!(await this.#endsWithin(killMs)))
      throw new EngineError(0, 'ETIMEDOUT', engineProblems.stuck(this.name))
  }

  #endsWithin(ms: number): Promise<boolean> {
    return within(
      this.#keeper.ended.then(() => true),
      ms,
      false,
    )
  }
}

/** The command line that sends a signal to every process of the user that runs it. */
function signalAll(signal: NodeJS.Signals): readonly string[] {
  const kill = (name: string) => `kill -${name} -1`
  // A stopped process handles the signal only once it is continued.
  return ['/bin/sh', '-c', signal === 'SIGTERM' ? `${kill('TERM')}; ${kill('CONT')}` : kill(bare(signal))]
}

/**
 * The command line that sends a signal to all processes with a cookie in their environment. A shell whose
 * child is signalled first would continue with the rest of its line, so all of them are stopped before the
 * first one is signalled.
 */
function signalCarriers(signal: NodeJS.Signals, cookie: string): readonly string[] {
  return ['/bin/sh', '-c', toCarriers, 'carriers', bare(signal), cookie]
}

function bare(signal: NodeJS.Signals): string {
  return signal.replace(/^SIG/, '')
}

const toCarriers = `
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
