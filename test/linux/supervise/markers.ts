import { afterEach } from 'vitest'
import { makeMarker } from '../../helpers/processes.ts'
import { clearUp, type Programs } from './escapes.ts'

export const graceMs = 50

/** Gives each command a marker of its own, and ends what carries it after the test. */
export function marking(programs: () => Programs): () => string {
  const markers: string[] = []
  afterEach(async () => {
    for (const marker of markers.splice(0)) await clearUp(programs(), marker)
  })
  return () => {
    const marker = makeMarker()
    markers.push(marker)
    return marker
  }
}
