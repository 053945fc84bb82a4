import type { Result } from '../../../src/base/types.ts'
import type { ExecuteOptions } from '../../../src/request/request.ts'
import type { Shell } from '../../../src/shell.ts'
import { aliveWith } from '../../helpers/processes.ts'

export const graceMs = 50

/** What a run showed from outside. */
interface Watched {
  readonly result: Result
  /** The processes with the marker that ran when the command said that it had started. */
  readonly seen: readonly number[]
  /** Milliseconds from the call to the end of that look. */
  readonly lookedMs: number
}

/** Whether it ran: on a busy machine the look at its processes can come after the deadline, and finds none. */
export function hasRun({ seen, lookedMs, result }: Watched, timeoutMs: number): boolean {
  return seen.length > 0 || (lookedMs >= timeoutMs && result.stdout.includes('started'))
}

interface WatchOptions {
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
  let started = false
  let seen: number[] = []
  let lookedMs = Number.NaN
  const onOutput: ExecuteOptions['onOutput'] = (_, chunk) => {
    if (started || !chunk.includes('started')) return
    started = true
    seen = aliveWith(marker)
    lookedMs = performance.now() - begun
    onStarted?.()
  }
  const result = await shell.execute({ command, timeoutMs }, { signal, onOutput })
  return { result, seen, lookedMs }
}
