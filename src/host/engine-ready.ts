import { abortAfter, unlessAborted } from '../base/clock.ts'
import type { Unmet } from '../base/refusal.ts'
import type { Environment } from '../base/types.ts'
import type { Config } from '../config/schema.ts'
import { engineLate } from '../messages/docker.ts'
import { isVitrineError, unavailable, type VitrineError } from '../messages/error.ts'
import { callsDocker } from '../policy/expand.ts'
import type { CompleteRequest } from '../request/request.ts'
import { reachEngine } from '../sandbox/docker/engine/reach.ts'
import { engineSockets } from '../sandbox/docker/engine/sockets.ts'

export interface Readiness {
  readonly env: Environment
  readonly docker: Config['docker']
  readonly signal: AbortSignal | undefined
}

/**
 * Before a command that calls the Docker client: runs the start command if no engine answers, and waits for
 * one. Throws SANDBOX_UNAVAILABLE at the command's deadline, or the signal's reason.
 */
export async function engineReady(
  { work, timeoutMs }: CompleteRequest,
  { env, docker, signal }: Readiness,
): Promise<void> {
  if (!callsDocker(work) || !isLocal(env)) return
  const wait = abortAfter(timeoutMs, signal)
  try {
    const engine = reachEngine({ env, startCommand: docker.start_command })
    const answers = await unlessAborted(engine, wait.signal, () => undefined)
    signal?.throwIfAborted()
    if (!answers) throw needed(engineLate(timeoutMs))
  } catch (error) {
    if (isVitrineError(error) && error.refusal.code === 'SANDBOX_UNAVAILABLE') throw needed(error.refusal)
    throw error
  } finally {
    wait.end()
  }
}

/** A remote engine is not started from here: the client reports what is wrong. */
function isLocal(env: Readiness['env']): boolean {
  try {
    return engineSockets(env).length > 0
  } catch (error) {
    if (isVitrineError(error)) return false
    throw error
  }
}

function needed({ wanted, got, remedy }: Unmet): VitrineError {
  return unavailable({ for: 'engine', wanted, got, remedy })
}
