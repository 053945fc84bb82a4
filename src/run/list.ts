import type { AnyResult } from '../base/types.ts'
import type { Asked } from './admit.ts'

/** A request, and what was admitted for it: with its line of the audit log. */
type Listed = readonly [Asked, { readonly entry: { close(): Promise<unknown> } | undefined }]

interface Runs<L extends Listed, R> {
  readonly run: (...listed: L) => Promise<R>
  /** Gets the results. */
  readonly results: R[]
  readonly isOver: (last: R | undefined) => boolean | undefined
}

/** Runs a list of admitted commands in order, until it is over. */
export async function runAll<L extends Listed, R extends AnyResult>(
  admitted: readonly L[],
  { run, results, isOver }: Runs<L, R>,
): Promise<void> {
  try {
    for (const listed of admitted) {
      if (isOver(results.at(-1))) break
      results.push(await run(...listed))
    }
  } finally {
    await notStarted(admitted)
  }
}

/** Writes the lines of those that were never launched. */
export async function notStarted(admitted: readonly Listed[]): Promise<void> {
  for (const [, { entry }] of admitted) await entry?.close()
}
