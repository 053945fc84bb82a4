import type { Encoding, Stream } from '../base/types.ts'
import type { HintReader } from '../messages/denials.ts'
import type { LineOptions } from './line-state.ts'

/** A caller's function that gets output as it comes. */

export type OnOutput = (stream: Stream, chunk: Buffer) => Promise<void> | void
export interface ExecuteOptions<E extends Encoding = 'utf8'> {
  /** Ends the command; the result says `cancelled`. Aborted beforehand: throws, and nothing runs. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called with every piece of output as it comes. A promise holds the command back until it resolves, once 1 MiB waits;
   * `execute` does not wait for the last of them. If it throws, or a promise rejects while the command runs, the command
   * is ended and `execute` rejects with a `ListenerError`, which has the result.
   */
  readonly onOutput?: OnOutput | undefined
  /**
   * Default true. false: what is too long for the result is not saved, for it has been streamed; the result shows head
   * and tail, and has no scratchpad.
   */
  readonly save?: boolean | undefined
  /**
   * The most characters of a stream that the result shows, 0 to 67108864; more is cut and saved. With `encoding: 'buffer'`
   * it counts bytes. Default `[output] inline_max_chars`.
   */
  readonly inlineMaxChars?: number | undefined
  /** `buffer`: `output`, `stdout` and `stderr` are bytes as they came. Default `utf8`: text. */
  readonly encoding?: E | undefined
  /** Whose words `hint` uses: `tool` speaks of the parameters of the MCP tools. Default `user`. */
  readonly hintFor?: HintReader | undefined
  /** Linux, on this machine, a shell line: it is one of a session, and tells what it leaves behind for the next one. */
  readonly line?: LineOptions | undefined
}
