import type { AnyResult } from '../base/types.ts'
import type { ModeSetup } from '../host/mode-setup.ts'
import { notRemoved, stillRemoved } from '../messages/private-tmp.ts'
import type { Variables } from '../request/environment.ts'
import { withToolCaches } from '../request/tools.ts'
import { privateVariables } from '../sandbox/private-tmp.ts'
import type { PrivateDirectory } from '../sandbox/sandbox.ts'

/** Launches a confined command and supervises it to its end; the returned function builds the result. */
export type RunToEnd = (setup: ModeSetup) => Promise<() => Promise<AnyResult>>

/**
 * Runs a command, in a private directory if the setup grants one, and removes that afterwards even if the
 * command never ran. A removal that outlasts `mostMs` from now goes on in the background, and the result says
 * so. Throws SANDBOX_UNAVAILABLE if the directory cannot be made.
 */
export async function withPrivateTmp(
  setup: ModeSetup,
  removing: Set<Promise<unknown>>,
  maxMs: number,
  run: RunToEnd,
): Promise<AnyResult> {
  if (!setup.privateTmp) return (await run(setup))()
  const due = performance.now() + maxMs
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

function setupIn(
  setup: ModeSetup,
  { directories, caches }: NonNullable<ModeSetup['privateTmp']>,
  directory: string,
): ModeSetup {
  const inDirectory = (environment: Variables) =>
    withToolCaches({ ...environment, ...privateVariables(directory) }, directory, caches)
  const { line, steps, none } = setup.environments
  return {
    ...setup,
    environments: { line: inDirectory(line), steps: inDirectory(steps), none: inDirectory(none) },
    confinement: setup.confinement && directories.grant(setup.confinement, directory),
  }
}

/** Removes the directory after the command. Resolves to the reason if that failed or was late. */
async function removed(
  directory: PrivateDirectory,
  ran: Promise<unknown>,
  removing: Set<Promise<unknown>>,
  due: number,
): Promise<string | undefined> {
  const removal = ran.then(
    () => directory.remove(),
    () => directory.remove(), // the error is thrown where `ran` is awaited
  )
  removing.add(removal)
  void removal.finally(() => removing.delete(removal)).catch(() => {}) // awaited below, and when the shell closes
  await Promise.allSettled([ran])
  return inTime(removal, due)
}

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
