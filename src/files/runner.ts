import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { platform } from '../base/platform.ts'
import type { FileOperation, FileProblem } from '../base/refusal.ts'
import { decode, quoted } from '../base/text.ts'
import { type Handoff, modes, type Result, type Stream } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import { fieldOf, oneOf, refuseRequest } from '../request/fields.ts'
import type { ExecuteOptions } from '../request/request.ts'
import type { FileRequest } from '../run/admit.ts'
import { errnoIn, exits, mostBytes, scriptOf } from './scripts.ts'
import type { FileOptions } from './types.ts'

/** Runs one as a command of the shell. */
export type RunFile = (request: FileRequest, options: ExecuteOptions<'buffer'>) => Promise<Result<Buffer>>

/** The operation, the path as it was given, and what else it is about. */
export type Names = readonly [FileOperation, string, ...string[]]

/** One operation: what it is about, and what runs. */
export interface Operation {
  readonly names: Names
  readonly argv: readonly [string, ...string[]]
  readonly options: FileOptions
  /** All that a question shows. Default: its names. */
  readonly shown?: string
  readonly stdin?: FileRequest['stdin']
  /** The most bytes of output that the result has. */
  readonly most?: number
}

/** The schema of an operation's options: those of every one, and its own. */
export function optionsOf<const E extends v.ObjectEntries>(own: E) {
  return v.partial(v.strictObject({ ...common, ...own }))
}

const common = {
  signal: fieldOf.signal,
  timeoutMs: fieldOf.milliseconds,
  mode: oneOf(...modes),
  hintFor: oneOf('user', 'tool', 'only-tool', 'only-command'),
}

/** Of what tools say of errors. */
const leastShown = 4096

const windows = 'Operations on files are not available on Windows. Use a command.'

/** Runs operations on files, and says why one did nothing. */
export class Runner {
  readonly #run: RunFile
  /** The last change of each path that is being changed. */
  readonly #changes = new Map<string, Promise<void>>()

  constructor(run: RunFile) {
    this.#run = run
  }

  /** Throws FILE_FAILED unless it did its work. */
  async done(operation: Operation, make?: Make): Promise<Result<Buffer>> {
    const exchange = make && new Exchange()
    const { names, argv, options, shown = names.map(quoted).join(' ') } = operation
    if (platform === 'windows') refuseRequest({ kind: 'usage', detail: windows })
    const { signal, hintFor, timeoutMs, mode } = options
    const stdin = exchange ? exchange.answer(make) : operation.stdin
    const onOutput = exchange?.take.bind(exchange)
    const shape = { encoding: 'buffer', save: false, inlineMaxChars: operation.most ?? leastShown } as const
    const request = { names, argv, shown, stdin, timeoutMs, mode }
    const result = await this.#run(request, { ...shape, signal, hintFor, onOutput })
    const problem = exchange?.problem ?? problemOf(result)
    if (problem) throw failed(names, result, problem)
    return result
  }

  /** Gives a file the bytes that `make` returns. */
  async change(
    { names, options, shown }: Required<Pick<Operation, 'names' | 'options' | 'shown'>>,
    make: Make,
  ): Promise<readonly Handoff[]> {
    const what = names[0] === 'edit_file' ? 'edit' : 'write'
    const argv = scriptOf('replace', names[1], what, mostBytes, randomBytes(8).toString('hex'))
    const work = () => this.done({ names, argv, options, shown }, make)
    return (await this.#inTurn(names[1], work)).handoffs
  }

  /** Of two changes of a file at once the later one would undo the other. */
  #inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#changes.get(path) ?? Promise.resolve()).then(work)
    const over = turn.then(noop, noop).then(() => {
      if (this.#changes.get(path) === over) this.#changes.delete(path)
    })
    this.#changes.set(path, over)
    return turn
  }
}

const noop = () => {}

export function failed([operation, path]: Names, result: Result<Buffer>, problem: FileProblem): VitrineError {
  const { mode, denials, hint } = result
  const refused = problem.kind === 'failed' ? { denials, hint } : { denials: [] }
  return new VitrineError({ code: 'FILE_FAILED', operation, path, mode, problem, ...refused })
}

function problemOf({ outcome, stderr }: Result<Buffer>): FileProblem | undefined {
  if (outcome.kind !== 'exited') return { kind: 'ended', outcome }
  const said = decode(stderr).trim()
  switch (outcome.code) {
    case 0:
      return undefined
    case exits.directory:
      return { kind: 'failed', errno: 'EISDIR' }
    case exits.special:
      return { kind: 'special' }
    case exits.changed:
      return { kind: 'changed' }
    case exits.pattern:
      return { kind: 'pattern', said }
    default:
      return { kind: 'failed', errno: errnoIn(said) ?? `exit code ${outcome.code}: ${said}` }
  }
}

/** A file before its change. `bytes` has the beginning of one that is larger than `mostBytes`. */
export interface OldFile {
  readonly size: number
  readonly created: boolean
  readonly bytes: Buffer
}

type Make = (old: OldFile) => Buffer | FileProblem

/** The host's part in a change: hears what the file holds, and answers what it shall hold. */
class Exchange {
  /** Why there is no new content: the file stays as it is. */
  problem: FileProblem | undefined
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #hear: (old: OldFile) => void = () => {}
  readonly #heard = new Promise<OldFile>((resolve) => {
    this.#hear = resolve
  })

  /** As `onOutput`: a line with the size and whether the file is new, then its bytes. */
  take(stream: Stream, chunk: Buffer): void {
    if (stream === 'stderr') return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    const [first = chunk] = this.#chunks
    const end = first.indexOf('\n') + 1
    const [size = 0, created] = first.toString('latin1', 0, end).split(' ').map(Number)
    if (this.#bytes < end + Math.min(size, mostBytes)) return
    this.#hear({ size, created: created === 1, bytes: Buffer.concat(this.#chunks).subarray(end) })
  }

  /** As `stdin`. */
  async *answer(make: Make): AsyncGenerator<Buffer> {
    const made = make(await this.#heard)
    if ('kind' in made) this.problem = made
    else yield* [Buffer.from(`go ${made.length}\n`), made]
  }
}
