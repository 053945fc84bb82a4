import type { AnyResult, Encoding, OutputIn, Result } from '../base/types.ts'
import { type ExecuteAllOptions, readListOptions } from '../host/shell-options.ts'
import { withResults } from '../messages/error.ts'
import { isFailure } from '../messages/result.ts'
import { type ExecuteOptions, type ExecuteRequest, readList } from '../request/request.ts'

interface ListRunner<E extends Encoding, A, X> {
  readonly ask: (request: ExecuteRequest, options: ExecuteOptions<E>) => A
  readonly admit: (asked: A) => Promise<X>
  readonly run: (asked: A, admitted: X) => Promise<Result<OutputIn<E>>>
  /** Of each, also where its turn has not come. */
  readonly drop: (admitted: X) => Promise<void>
  readonly counted: (running: Promise<void>) => Promise<void>
}

/** Admits every command before it runs the first. A `VitrineError` has the results so far. */
export async function runList<E extends Encoding, A, X>(
  requests: readonly (string | ExecuteRequest)[],
  options: ExecuteAllOptions<E>,
  { ask, admit, run, drop, counted }: ListRunner<E, A, X>,
): Promise<Result<OutputIn<E>>[]> {
  const results: Result<OutputIn<E>>[] = []
  const admitted: (readonly [A, X])[] = []
  const runAll = async (ending: Ending) => {
    for (const [asked, execution] of admitted) {
      if (isOver(results.at(-1), ending)) break
      results.push(await run(asked, execution))
    }
  }
  const dropAll = async () => {
    for (const [, execution] of admitted) await drop(execution)
  }
  try {
    const { workDir: cwd, timeoutMs, ignoreErrors, ...each } = readListOptions(options)
    const all = readList(requests).map((own) => ask({ cwd, timeoutMs, ...own }, each as ExecuteOptions<E>))
    for (const asked of all) admitted.push([asked, await admit(asked)])
    await counted(runAll({ signal: each.signal, ignoreErrors }).finally(dropAll))
  } catch (error) {
    await dropAll()
    throw withResults(error, results)
  }
  return results
}

type Ending = Pick<ExecuteAllOptions, 'signal' | 'ignoreErrors'>

/** Whether a list ends behind this result. */
export function isOver(last: AnyResult | undefined, { signal, ignoreErrors = false }: Ending): boolean {
  return last !== undefined && (signal?.aborted === true || (!ignoreErrors && isFailure(last)))
}
