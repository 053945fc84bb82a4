import type { AnyResult } from '../base/types.ts'
import type { ModeSetup } from '../host/mode-setup.ts'
import { notRemoved, stillRemoved } from '../messages/private-tmp.ts'
import type { Variables } from '../request/environment.ts'
import { withToolCaches } from '../request/tools.ts'
import { type PrivateDirectory, privateVariables } from '../sandbox/private-tmp.ts'

/** Launches a command with what holds it, and supervises it to its end; what comes back puts the result together. */
export type RunToEnd = (setup: ModeSetup) => Promise<() => Promise<AnyResult>>

/**
 * Runs a command, in a directory of its own where it gets one: made before, removed afterwards, whether or not the command
 * ever ran. Throws SANDBOX_UNAVAILABLE when the directory cannot be made. A removal that is not over when the result is due,
 * `mostMs` from now, goes on behind it.
 */
export async function withPrivateTmp(
  setup: ModeSetup,
  removing: Set<Promise<unknown>>,
  mostMs: number,
  run: RunToEnd,
): Promise<AnyResult> {
  if (!setup.privateTmp) return (await run(setup))()
  const due = performance.now() + mostMs
  const directory = setup.privateTmp.directories.make(setup.privateTmp.temporary)
  const ran = run(setupIn(setup, setup.privateTmp, directory.path))
  const left = await removed(directory, ran, removing, due)
  const result = await (await ran)()
  if (left === undefined) return result
  const note = left === 'late' ? stillRemoved(directory.path) : notRemoved(directory.path, left)
  return {
    ...result,
    enforcement: { ...result.enforcement, 'private tmp': { enforced: false, by: 'none', note } },
  }
}

/** What holds a command that has a directory of its own. */
function setupIn(
  setup: ModeSetup,
  { directories, caches }: NonNullable<ModeSetup['privateTmp']>,
  directory: string,
): ModeSetup {
  const inDirectory = (environment: Variables) =>
    withToolCaches({ ...environment, ...privateVariables(directory) }, directory, caches)
  return {
    ...setup,
    environment: inDirectory(setup.environment),
    lookingEnvironment: inDirectory(setup.lookingEnvironment),
    confinement: setup.confinement && directories.grant(setup.confinement, directory),
  }
}

/** Removes the directory once the command is over. Resolves to the reason where it could not be, or was not in time. */
async function removed(
  directory: PrivateDirectory,
  ran: Promise<unknown>,
  removing: Set<Promise<unknown>>,
  due: number,
): Promise<string | undefined> {
  const removal = ran.then(
    () => directory.remove(),
    () => directory.remove(), // what failed is thrown where the command is awaited
  )
  removing.add(removal)
  void removal.finally(() => removing.delete(removal)).catch(() => {}) // awaited below, and where the shell is closed
  await Promise.allSettled([ran])
  return inTime(removal, due)
}

/** What a removal comes to, or that it is not over yet. */
async function inTime<T>(removal: Promise<T>, due: number): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.max(0, due - performance.now()))
  })
  try {
    return await Promise.race([removal, late])
  } finally {
    clearTimeout(timer)
  }
}
