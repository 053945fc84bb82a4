import type { Result } from '../../../src/base/types.ts'
import type { ExecuteOptions } from '../../../src/request/execute-options.ts'
import type { Shell } from '../../../src/shell.ts'
import { aliveWith } from '../../helpers/processes.ts'

/** What a run showed from outside. */
export interface Watched {
  readonly result: Result
  /** Milliseconds from the call to the result. */
  readonly tookMs: number
  /** Milliseconds from `started` to the result. */
  readonly tookFromStartMs: number
  /** Who with the marker ran when the command said that it had started. */
  readonly seen: readonly number[]
  /** Milliseconds from the call to the end of that look. */
  readonly lookedMs: number
}

/** Whether it ran: a look that came after the deadline finds nobody, for that is kept while we are busy, too. */
export function hasRun({ seen, lookedMs, result }: Watched, timeoutMs: number): boolean {
  return seen.length > 0 || (lookedMs >= timeoutMs && result.stdout.includes('started'))
}

export interface WatchOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Called once, when the command has said that it has started. */
  readonly onStarted?: () => void
}

/** Runs a line that prints `started`, and looks at its processes from outside at that moment. */
export async function runWatched(
  shell: Shell,
  command: string,
  marker: string,
  { timeoutMs, signal, onStarted }: WatchOptions = {},
): Promise<Watched> {
  const begun = performance.now()
  let startedAt: number | undefined
  let seen: number[] = []
  let lookedMs = Number.NaN
  const onOutput: ExecuteOptions['onOutput'] = (_, chunk) => {
    if (startedAt !== undefined || !chunk.includes('started')) return
    startedAt = performance.now()
    seen = aliveWith(marker)
    lookedMs = performance.now() - begun
    onStarted?.()
  }
  const result = await shell.execute({ command, timeoutMs }, { signal, onOutput })
  const ended = performance.now()
  return { result, tookMs: ended - begun, tookFromStartMs: ended - (startedAt ?? Number.NaN), seen, lookedMs }
}
