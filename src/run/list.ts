import type { AnyResult } from '../base/types.ts'
import type { ExecuteAllOptions } from '../host/shell-options.ts'
import { withResults } from '../messages/error.ts'
import { isFailure } from '../messages/result.ts'

interface List<A, X, R> {
  readonly all: () => readonly A[]
  readonly admit: (asked: A) => Promise<X>
  readonly run: (asked: A, admitted: X) => Promise<R>
  /** Of each, also where its turn has not come. */
  readonly drop: (admitted: X) => Promise<void>
  readonly counted: (running: Promise<void>) => Promise<void>
  readonly isOver: (last: R | undefined) => boolean
}

/** Admits every command before it runs the first. A `VitrineError` has the results so far. */
export async function runList<A, X, R extends AnyResult>(list: List<A, X, R>): Promise<R[]> {
  const results: R[] = []
  const admitted: (readonly [A, X])[] = []
  const runAll = async () => {
    for (const [asked, execution] of admitted) {
      if (list.isOver(results.at(-1))) break
      results.push(await list.run(asked, execution))
    }
  }
  const dropAll = async () => {
    for (const [, execution] of admitted) await list.drop(execution)
  }
  try {
    for (const asked of list.all()) admitted.push([asked, await list.admit(asked)])
    await list.counted(runAll().finally(dropAll))
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
