import { constants } from 'node:os'
import { errorText } from '../base/errno.ts'
import { visible, words } from '../base/text.ts'
import type { Stream } from '../base/types.ts'
import { isVitrineError } from '../messages/error.ts'
import type { ExecEnd, ExecRequest } from '../sandbox/docker/exec.ts'
import { frameOf, splitFrames } from '../sandbox/docker/frames.ts'
import type { Image } from '../sandbox/docker/image.ts'
import { inside } from '../sandbox/docker/mounts.ts'
import type { Changes } from '../sandbox/sandbox.ts'
import type { LaunchRequest, ProcessEnd } from './launch.ts'

/** What vitrine's part inside of a container is told about a command of workspace mode (`inside.ts`), by a frame on its stdin. */
export interface InsideOrder {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  readonly merged: boolean
  /** What follows on stdin is the command's. */
  readonly stdin: boolean
  readonly network: boolean
  readonly changes: Changes
  /** For what the command leaves. */
  readonly graceMs: number
}

/** Nothing confines the loader and Node, which load what variables name (LD_PRELOAD, NODE_OPTIONS): those of the image are emptied. */
export function insideRequest({ variables }: Image): ExecRequest {
  const argv = [inside.loader, '--library-path', inside.libraries, inside.node, inside.script]
  const emptied = Object.keys(variables).map((name) => [name, ''])
  return { argv, cwd: '/', stdin: true, environment: Object.fromEntries(emptied) }
}

/** @param variables the command's, which precede those of the image */
export function orderFrame(request: LaunchRequest, image: Image, variables: Image['variables']): Buffer {
  const { argv, cwd, merged, stdin, confinement, deadline } = request
  if (confinement?.kind !== 'container' || !confinement.changes) throw new Error('not of workspace mode')
  const { changes, network } = confinement
  const order: InsideOrder = {
    argv,
    environment: { ...image.variables, ...variables },
    cwd,
    merged,
    stdin: stdin !== null,
    network,
    changes,
    graceMs: deadline.graceMs,
  }
  return frameOf(0, Buffer.from(JSON.stringify(order)))
}

const streams = ['end', 'stdout', 'stderr'] as const

/** What the part inside writes to stdout. */
export function insideFrame(stream: (typeof streams)[number], bytes: Uint8Array): Buffer {
  return frameOf(streams.indexOf(stream), bytes)
}

/** Splits the output of vitrine's part inside: the command's output, and its end. */
export class InsideOutput {
  /** Undefined: not reported yet. */
  end: ProcessEnd | undefined
  /** The last 1,000 characters of its own stderr; empty unless it fails. */
  said = ''
  readonly #add: (bytes: Buffer) => void

  constructor(output: (stream: Stream, bytes: Buffer) => void) {
    this.#add = splitFrames(streams, (stream, bytes) => {
      if (stream === 'end') this.end = JSON.parse(bytes.toString())
      else output(stream, bytes)
    })
  }

  add(stream: Stream, bytes: Buffer): void {
    if (stream === 'stdout') this.#add(bytes)
    else this.said = `${this.said}${bytes}`.slice(-1000)
  }
}

export function neverRan(error: unknown): ProcessEnd {
  if (isVitrineError(error))
    return { kind: 'failed', step: 'container', errno: error.code, refusal: error.refusal }
  return { kind: 'failed', step: 'container', errno: errorText(error) }
}

interface Circumstances {
  /** Workspace mode. */
  readonly inside: InsideOutput | undefined
  readonly killed: number
  readonly stopped: NodeJS.Signals | undefined
  /** The container's memory in bytes, if the kernel killed a process because it ran out. */
  readonly usedUp: number | undefined
}

/** The engine's report, or that of the part inside, as our outcome. */
export function containerProcessEnd(ended: ExecEnd, circumstances: Circumstances): ProcessEnd {
  const { inside: part, killed, stopped, usedUp } = circumstances
  if (stopped && ended.kind !== 'exited') return killedBy(stopped)
  if (ended.kind === 'never') return { kind: 'failed', ...failureIn(ended.said) }
  if (ended.kind === 'lost') return { ...killedBy('SIGKILL'), lost: ended.said }
  const end = part ? reportOf(part, ended.code, circumstances) : exitOf(ended.code)
  if (end.kind === 'failed') return end
  const hasSucceeded = end.kind === 'exited' && end.code === 0
  // A command that we ended has not succeeded, even with exit code 0.
  if (stopped && hasSucceeded) return killedBy(stopped)
  // The process inside has no deadline: the one that counts is outside.
  const { timedOut: _, ...told } = end
  const survivors = { ...end.survivors, killed: end.survivors.killed + killed }
  const isLimited = usedUp !== undefined && !stopped && !hasSucceeded
  return { ...told, survivors, ...(isLimited && { limited: 'memory', containerMemory: usedUp }) }
}

/** Without a report the command may have run: the outcome is unknown. */
function reportOf({ end, said }: InsideOutput, code: number, { stopped, usedUp }: Circumstances): ProcessEnd {
  if (end) return end
  if (stopped || usedUp !== undefined) return killedBy(stopped ?? 'SIGKILL')
  const saying = said === '' ? '' : `: ${visible(said.trim())}`
  const lost = `the process of vitrine that confines the command in the container ended with exit code ${code}${saying}`
  return { ...killedBy('SIGKILL'), lost }
}

const nothingLeft = { survivors: { killed: 0, alive: 0, group: 0 }, denials: [] }

export function killedBy(signal: NodeJS.Signals): Extract<ProcessEnd, { kind: 'signalled' }> {
  return { kind: 'signalled', signal, ...nothingLeft }
}

/** A program that exits with 128+n itself means the same as signal n, by convention. */
function exitOf(code: number): ProcessEnd {
  const signal = fatal.find((name) => constants.signals[name] === code - 128)
  return signal ? killedBy(signal) : { kind: 'exited', code, ...nothingLeft }
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

/** Signals that end a process unless it handles them (signal(7)). */
const fatal = words(`
  SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE
  SIGALRM SIGTERM SIGXCPU SIGXFSZ SIGSYS`) as NodeJS.Signals[]

export function endsByDefault(name: NodeJS.Signals): boolean {
  return fatal.includes(name)
}
