import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The variables that say where state is kept. */
export type StateEnvironment = Readonly<Record<string, string | undefined>>

/** The directory that holds every session's outputs: `$XDG_STATE_HOME/vitrine/scratchpad`. */
export function scratchpadRoot(environment: StateEnvironment): string {
  return join(stateDirectory(environment), 'vitrine', 'scratchpad')
}

/** XDG Base Directory Specification: state of the user that is not configuration. */
function stateDirectory(environment: StateEnvironment): string {
  const configured = environment['XDG_STATE_HOME']
  // A relative path is to be ignored, says the specification.
  if (configured !== undefined && isAbsolute(configured)) return configured
  return join(environment['HOME'] || homedir(), '.local', 'state')
}
