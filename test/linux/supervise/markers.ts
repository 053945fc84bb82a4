import { afterEach } from 'vitest'
import { busyMs } from '../../helpers/busy.ts'
import { makeMarker } from '../../helpers/processes.ts'
import { clearUp, type Programs } from './escapes.ts'

export const graceMs = 50
/** How long after deadline and grace a call may take here. The promise is 1 s; `npm run soak` measures it. */
export const lastMs = busyMs
/** A drain listens for 250 ms at most; a busy machine needs time to store what a flood brings. */
export const promptMs = busyMs
/** A kill has been sent when the result comes; the kernel may take a moment to carry it out. */
export const deathMs = 200

/** Gives each command a marker of its own, and ends who has it after the test. */
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
