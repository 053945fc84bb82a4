import { tried } from '../base/errno.ts'
import type { Stream } from '../base/types.ts'
import { Frames } from '../sandbox/docker/engine/frames.ts'
import { inside } from '../sandbox/docker/node-mounts.ts'
import type { Changes, ContainerConfinement } from '../sandbox/sandbox.ts'
import type { LaunchRequest, ProcessEnd } from './launch.ts'

/** What vitrine's part inside of a container is told about a command of workspace mode (`inside.ts`). */
export interface InsideOrder {
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  readonly merged: boolean
  readonly stdin: boolean
  readonly network: boolean
  readonly changes: Changes
}

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

/** The order as environment variables: stdin is the command's. */
export function insideVariables(
  { cwd, merged, stdin }: LaunchRequest,
  { changes, network }: ContainerConfinement,
  argv: readonly string[],
): Record<string, string> {
  const order = JSON.stringify({ argv, cwd, merged, stdin: stdin !== null, network, changes })
  const chunks = order.match(new RegExp(`[^]{1,${chunkLength}}`, 'g')) ?? []
  return Object.fromEntries(chunks.map((chunk, index) => [`${prefix}${index}`, chunk]))
}

/** Reads the order and removes its variables, which the command must not get. */
export function takeOrder(environment: Record<string, string | undefined>): InsideOrder {
  let text = ''
  for (let index = 0; ; index++) {
    const chunk = environment[`${prefix}${index}`]
    if (chunk === undefined) return JSON.parse(text)
    text += chunk
    delete environment[`${prefix}${index}`]
  }
}

const streams = ['end', 'stdout', 'stderr'] as const

/** A frame in the engine's format (engine/frames.ts). */
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
