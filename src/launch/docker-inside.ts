import { tried } from '../base/errno.ts'
import type { Stream } from '../base/types.ts'
import type { Variables } from '../request/environment.ts'
import { Frames } from '../sandbox/docker/frames.ts'
import { inside } from '../sandbox/docker/mounts.ts'
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
