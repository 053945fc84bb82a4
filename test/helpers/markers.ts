import { onTestFinished } from 'vitest'
import { endAll, makeMarker } from './processes.ts'

/** A marker for one test, after which everything that carries it is ended. */
export function ownMarker(): string {
  const marker = makeMarker()
  onTestFinished(() => endAll(marker))
  return marker
}
