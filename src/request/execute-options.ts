import type { HintReader } from '../base/hint.ts'
import type { Encoding, Stream } from '../base/types.ts'

export type OnOutput = (stream: Stream, chunk: Buffer) => Promise<void> | void
export interface ExecuteOptions<E extends Encoding = 'utf8'> {
  /** Ends the command; the result says `cancelled`. If already aborted, the call throws its reason and nothing runs. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called with every chunk of output as it arrives. Once 1 MiB of output waits for returned promises, the
   * command is held back until they resolve; `execute` does not wait for the last of them. If it throws, or a
   * promise rejects while the command runs, the command is ended and `execute` rejects with a
   * `ListenerError`, which has the result.
   */
  readonly onOutput?: OnOutput | undefined
  /**
   * Default true. false: output too long for the result is not saved, because it has been streamed; the
   * result shows head and tail, and has no scratchpad.
   */
  readonly save?: boolean | undefined
  /**
   * The most characters of a stream that the result shows, 0 to 67108864; longer output is cut and saved.
   * With `encoding: 'buffer'` it counts bytes. Default `[output] inline_max_chars`.
   */
  readonly inlineMaxChars?: number | undefined
  /** `buffer`: `output`, `stdout` and `stderr` are the bytes as they arrived. Default `utf8`: text. */
  readonly encoding?: E | undefined
  /** The reader of `hint`: with `tool` it names the MCP tools and their parameters, with `only-tool` the parameters only, with `only-command` neither. Default `user`. */
  readonly hintFor?: HintReader | undefined
}
