import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Scratchpad } from '../../src/scratchpad/scratchpad.ts'
import { stateRoot } from '../../src/scratchpad/session.ts'
import { makeDirectory } from '../helpers/place.ts'

const keepAll = { maxAgeDays: 0, maxBytes: 0 }
export const dayMs = 86_400_000

/** A state directory of its own. */
export function makeState() {
  const state = makeDirectory()
  const environment = { XDG_STATE_HOME: state }
  const root = stateRoot(environment)
  return {
    state,
    root,
    environment,
    scratchpad: (keep = keepAll) => new Scratchpad(environment, keep),
    /** A session whose process has long ended. */
    leave(name: string, bytes: number, ageMs: number) {
      const directory = join(root, name)
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      writeFileSync(join(directory, 'log'), Buffer.alloc(bytes), { mode: 0o600 })
      const then = new Date(Date.now() - ageMs)
      utimesSync(join(directory, 'log'), then, then)
      utimesSync(directory, then, then)
      return directory
    },
  }
}
