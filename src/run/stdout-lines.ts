import { onAbort } from '../base/clock.ts'
import type { Result } from '../base/types.ts'
import type { ExecuteOptions, OnOutput } from '../request/request.ts'

/** The lines of a command's stdout as they arrive, without their ends. Leaving the loop ends the command. */
export interface Lines extends AsyncIterable<string> {
  /** As of `execute`. Where it rejects, the loop throws the same. */
  readonly result: Promise<Result>
}

/** A longer line comes in parts, so that no output fills the memory. */
const longest = 1024 * 1024

/** `execute` starts the command. One loop reads its lines; until it does, the command is held back as by any slow `onOutput`. */
export function linesOf(
  execute: (options: ExecuteOptions) => Promise<Result>,
  { signal, ...options }: Omit<ExecuteOptions, 'onOutput'>,
): Lines {
  const { PassThrough } = process.getBuiltinModule('node:stream')
  const output = new PassThrough()
  const left = new AbortController()
  const forget = onAbort(signal, () => left.abort(signal?.reason))
  if (signal?.aborted) left.abort(signal.reason)
  let held: Promise<void> | undefined
  let resume = () => {}
  // The loop throws it, and the result; without a loop it must not end the host.
  output.on('error', () => {})
  output.on('drain', () => resume())
  output.once('close', () => {
    left.abort()
    resume()
  })
  const onOutput: OnOutput = (stream, chunk) => {
    if (stream !== 'stdout' || output.destroyed || output.write(chunk)) return
    held ??= new Promise((resolve) => {
      resume = () => {
        held = undefined
        resolve()
      }
    })
    return held
  }
  const result = execute({ ...options, signal: left.signal, onOutput }).finally(forget)
  result.then(
    () => output.end(),
    (error) => output.destroy(error),
  )
  return { result, [Symbol.asyncIterator]: () => split(output) }
}

/** Without their ends. */
export async function* split(output: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of output) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
    if (rest.length < longest) continue
    yield rest
    rest = ''
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
