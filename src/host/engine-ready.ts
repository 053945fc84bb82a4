import { setTimeout as sleep } from 'node:timers/promises'
import type { Unmet } from '../base/refusal.ts'
import type { Environment } from '../base/types.ts'
import type { Config } from '../config/schema.ts'
import { engineLate } from '../messages/docker.ts'
import { isVitrineError, unavailable, type VitrineError } from '../messages/error.ts'
import { callsDocker } from '../policy/command/calls-docker.ts'
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
export async function engineReady({ work, timeoutMs }: CompleteRequest, readiness: Readiness): Promise<void> {
  if (!callsDocker(work) || !isLocal(readiness.env)) return
  const over = new AbortController()
  const late = sleep(timeoutMs, undefined, { signal: over.signal }).then(() => {
    throw needed(engineLate(timeoutMs))
  })
  const aborted = new Promise<never>((_, reject) => {
    const { signal } = readiness
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: over.signal })
  })
  try {
    const { env, docker } = readiness
    await Promise.race([reachEngine({ env, startCommand: docker.start_command }), late, aborted])
  } catch (error) {
    if (isVitrineError(error) && error.refusal.code === 'SANDBOX_UNAVAILABLE') throw needed(error.refusal)
    throw error
  } finally {
    over.abort()
    late.catch(() => {}) // its rejection is not needed any more
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
