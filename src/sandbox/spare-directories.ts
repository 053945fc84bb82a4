import { existsSync } from 'node:fs'
import type { PrivateDirectory } from './sandbox.ts'

/** A private directory that can serve more than one command: making and removing one can take longer than starting a command. */
export interface SpareDirectory extends PrivateDirectory {
  readonly temporary: string
  discard(): unknown
}

/** Milliseconds after the last command until all are removed: an idle host keeps none. */
const idleMs = 1000
const most = 4

const spares: SpareDirectory[] = []
let idle: NodeJS.Timeout | undefined

export function keepSpare(spare: SpareDirectory): void {
  if (!idle) process.once('exit', removeSpares)
  idle = idle?.refresh() ?? setTimeout(removeSpares, idleMs).unref()
  spares.push(spare)
  if (spares.length > most) spares.shift()?.discard()
}

export function takeSpare(temporary: string): SpareDirectory | undefined {
  const at = spares.findLastIndex((spare) => spare.temporary === temporary)
  const [spare] = at < 0 ? [] : spares.splice(at, 1)
  if (!spare || existsSync(spare.path)) return spare
  spare.discard() // something removed it meanwhile
  return undefined
}

export function removeSpares(): void {
  for (const spare of spares.splice(0)) spare.discard()
}
