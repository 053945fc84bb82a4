import { thisHost } from '../../../src/host/host.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../../helpers/place.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { resolveInTests } from '../surroundings.ts'

/** A shell whose proxy finds every name on loopback, but those of `resolveInTests` elsewhere. */
export function openHostShell(options: TestShellOptions) {
  return openTestShell({
    host: { ...thisHost(), resolver: resolveInTests },
    cwd: makeDirectory(),
    ...options,
  })
}

/** Why this host refuses a list of hosts; null where it does not. */
export const listsRefused =
  process.platform === 'linux' ? cannotBorrow() : 'the commands of these tests run on Linux only'
