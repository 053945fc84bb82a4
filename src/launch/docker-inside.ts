import { constants } from 'node:os'
import { errorText, tried } from '../base/errno.ts'
import { words } from '../base/text.ts'
import type { Stream } from '../base/types.ts'
import { insideEnded } from '../messages/docker.ts'
import { isVitrineError } from '../messages/error.ts'
import type { Variables } from '../request/environment.ts'
import type { ExecEnd } from '../sandbox/docker/exec.ts'
import { Frames } from '../sandbox/docker/keeper.ts'
import { inside } from '../sandbox/docker/spec.ts'
import type { Changes } from '../sandbox/sandbox.ts'
import type { ProcessEnd } from './launch.ts'

/** What vitrine's part inside of a container is told about a command of workspace mode (`inside.ts`). */
export interface InsideOrder {
  readonly argv: readonly [string, ...string[]]
  readonly environment: Variables
  readonly cwd: string
  readonly merged: boolean
  readonly stdin: boolean
  readonly network: boolean
  readonly changes: Changes
  /** For what the command leaves. */
  readonly graceMs: number
}

type ToldOrder = Omit<InsideOrder, 'argv'> & { readonly argv: readonly string[] }

const prefix = 'VITRINE_INSIDE_'
/** A string of an environment holds 128 KiB (MAX_ARG_STRLEN, linux/binfmts.h); a character takes three bytes at most. */
const chunkLength = 40_000

export const insideArgv: readonly string[] = [
  inside.loader,
  '--library-path',
  inside.libraries,
  inside.node,
  inside.script,
]

/**
 * The order as environment variables, because stdin belongs to the command. It contains the command's variables, and those of
 * the image are emptied: nothing confines the loader and Node, which load what variables name (LD_PRELOAD, NODE_OPTIONS).
 */
export function insideVariables(order: ToldOrder, imageVariables: Variables): Record<string, string> {
  const environment = { ...imageVariables, ...order.environment }
  const text = JSON.stringify({ ...order, environment } satisfies ToldOrder)
  const chunks = text.match(new RegExp(`[^]{1,${chunkLength}}`, 'g')) ?? []
  const emptied = Object.fromEntries(Object.keys(imageVariables).map((name) => [name, '']))
  return { ...emptied, ...Object.fromEntries(chunks.map((chunk, index) => [`${prefix}${index}`, chunk])) }
}

/** Reads the order. Adds the variables that the engine sets itself to those of the command. */
export function takeOrder(here: Readonly<Record<string, string | undefined>>): InsideOrder {
  const isChunk = (name: string) => name.startsWith(prefix)
  const count = Object.keys(here).filter(isChunk).length
  const chunks = Array.from({ length: count }, (_, index) => here[`${prefix}${index}`])
  const order: InsideOrder = JSON.parse(chunks.join(''))
  const others = Object.entries(here).filter(([name]) => !isChunk(name))
  return { ...order, environment: { ...Object.fromEntries(others), ...order.environment } as Variables }
}

const streams = ['end', 'stdout', 'stderr'] as const

/** A frame in the engine's format (sandbox/docker/frames.ts). */
export function frameOf(stream: (typeof streams)[number], bytes: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head[0] = streams.indexOf(stream)
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

/** Splits the output of vitrine's part inside: the command's output, and its end. */
export class InsideOutput {
  /** Undefined: not reported yet. */
  end: ProcessEnd | undefined
  /** The last 1,000 characters of its own stderr; empty unless it fails. */
  said = ''
  readonly #frames: Frames<(typeof streams)[number]>
  #end = ''
  #handedOut = 0

  constructor(output: (stream: Stream, bytes: Buffer) => void) {
    this.#frames = new Frames((stream, bytes) => {
      if (stream === 'end') this.#takeEnd(bytes)
      else {
        this.#handedOut += bytes.length
        output(stream, bytes)
      }
    }, streams)
  }

  /** @returns how many bytes of it are not the command's output */
  add(stream: Stream, bytes: Buffer): number {
    this.#handedOut = 0
    if (stream === 'stdout') this.#frames.add(bytes)
    else this.said = `${this.said}${bytes}`.slice(-1000)
    return bytes.length - this.#handedOut
  }

  #takeEnd(bytes: Buffer): void {
    this.#end += bytes.toString('latin1')
    // Fails while the rest is still to come.
    this.end = tried(() => JSON.parse(Buffer.from(this.#end, 'latin1').toString()))
  }
}

export function neverRan(error: unknown): ProcessEnd {
  if (isVitrineError(error))
    return { kind: 'failed', step: 'container', errno: error.code, refusal: error.refusal }
  return { kind: 'failed', step: 'container', errno: errorText(error) }
}

interface Circumstances {
  readonly killed: number
  readonly stopped: NodeJS.Signals | undefined
  /** The container's memory in bytes, if the kernel killed a process because it ran out. */
  readonly usedUp: number | undefined
}

/** The engine's report as our outcome. A command that we ended has not succeeded, even with exit code 0. */
export function containerProcessEnd(ended: ExecEnd, { killed, stopped, usedUp }: Circumstances): ProcessEnd {
  switch (ended.kind) {
    case 'never':
      // Killed while it was joining the container: the runtime reports that as a failed start.
      return stopped ? killedBy(stopped) : { kind: 'failed', ...failureIn(ended.said) }
    case 'lost':
      return stopped ? killedBy(stopped) : { ...killedBy('SIGKILL'), lost: ended.said }
    case 'exited': {
      if (stopped && ended.code === 0) return killedBy(stopped)
      const survivors = { killed, alive: 0, group: 0 }
      const isLimited = usedUp !== undefined && ended.code !== 0 && !stopped
      const limit = isLimited ? ({ limited: 'memory', containerMemory: usedUp } as const) : {}
      const ran = { survivors, denials: [], ...limit }
      const signal = signalOf(ended.code)
      return signal ? { kind: 'signalled', signal, ...ran } : { kind: 'exited', code: ended.code, ...ran }
    }
  }
}

/** The end that vitrine's part inside reports. Without a report the command may have run: the outcome is unknown. */
export function insideProcessEnd(
  ended: ExecEnd,
  { end, said }: Pick<InsideOutput, 'end' | 'said'>,
  circumstances: Circumstances,
): ProcessEnd {
  const { killed, stopped, usedUp } = circumstances
  if (ended.kind !== 'exited') return containerProcessEnd(ended, circumstances)
  if (end?.kind === 'failed') return end
  const limit =
    usedUp === undefined || stopped ? {} : ({ limited: 'memory', containerMemory: usedUp } as const)
  if (!end)
    return stopped || usedUp !== undefined
      ? { ...killedBy(stopped ?? 'SIGKILL'), ...limit }
      : { ...killedBy('SIGKILL'), lost: insideEnded(ended.code, said) }
  const succeeded = end.kind === 'exited' && end.code === 0
  if (stopped && succeeded) return killedBy(stopped)
  // The process inside has no deadline: the one that counts is outside.
  const { timedOut: _, ...told } = end
  const survivors = { ...end.survivors, killed: end.survivors.killed + killed }
  return { ...told, survivors, ...(succeeded ? {} : limit) }
}

export function killedBy(signal: NodeJS.Signals): Extract<ProcessEnd, { kind: 'signalled' }> {
  return { kind: 'signalled', signal, survivors: { killed: 0, alive: 0, group: 0 }, denials: [] }
}

/** The engine exits with 126 for everything that did not start; its message says why. */
function failureIn(said: string): { readonly step: string; readonly errno: string } {
  if (/chdir to cwd/.test(said)) return { step: 'chdir', errno: 'ENOENT' }
  if (/executable file not found|no such file or directory/i.test(said))
    return { step: 'exec', errno: 'ENOENT' }
  if (/exec format error/i.test(said)) return { step: 'exec', errno: 'ENOEXEC' }
  if (/permission denied|is a directory/i.test(said)) return { step: 'exec', errno: 'EACCES' }
  return { step: 'container', errno: said.trim() }
}

/** Signals that end a process unless it handles them (signal(7)): exit code 128+n stands for them. */
const fatal = words(`
  SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE
  SIGALRM SIGTERM SIGXCPU SIGXFSZ SIGSYS`) as NodeJS.Signals[]

/** A program that exits with 128+n itself means the same, by convention. */
function signalOf(code: number): NodeJS.Signals | undefined {
  return fatal.find((name) => constants.signals[name] === code - 128)
}

export function endsByDefault(name: NodeJS.Signals): boolean {
  return fatal.includes(name)
}
