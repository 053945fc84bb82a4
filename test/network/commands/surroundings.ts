import { thisHost } from '../../../src/host/host.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../../helpers/place.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { goodAt, resolveInTests, webServer } from '../surroundings.ts'

/** A shell whose proxy finds every name on loopback, but those of `resolveInTests` elsewhere. */
export function openHostShell(options: TestShellOptions) {
  return openTestShell({
    host: { ...thisHost(), resolver: resolveInTests },
    cwd: makeDirectory(),
    ...options,
  })
}

/** A web server, and such a shell that reaches it by good.example, and by what else `more` lists at its port. */
export async function openListedShell(
  options: TestShellOptions = {},
  more: (port: number) => readonly string[] = () => [],
) {
  const { port, asked } = await webServer()
  const shell = await openHostShell({ network: [...goodAt(port), ...more(port)], ...options })
  return { port, asked, shell }
}

/** Why this host refuses a list of hosts; null where it does not. */
export const listsRefused =
  process.platform === 'linux' ? cannotBorrow() : 'the commands of these tests run on Linux only'
