import type { Unmet } from '../../base/refusal.ts'
import {
  containerFailed,
  engineMissing,
  engineSilent,
  imageMissing,
  noShellIn,
  pausedWords,
} from '../../messages/docker.ts'
import { unavailable, type VitrineError } from '../../messages/error.ts'
import type { Engine, EngineError } from './engine.ts'

export function refusalOf(words: Unmet): VitrineError {
  return unavailable({ for: 'docker', ...words })
}

export function engineRefusal({ socketPath }: Engine, image: string, error: EngineError): VitrineError {
  const { status, reason, message } = error
  if (reason === 'ETIMEDOUT') return refusalOf(engineSilent(socketPath, message))
  if (isDown(error)) return refusalOf(engineMissing(socketPath, reason, message))
  if (status === 404 && /no such image/i.test(message)) return refusalOf(imageMissing(image))
  if (saysPaused(error)) return refusalOf(pausedWords(message))
  return refusalOf(/exec: "\/bin\/sh"/.test(message) ? noShellIn(image, message) : containerFailed(message))
}

/** No engine answers at the socket. */
export function isDown({ reason }: EngineError): boolean {
  return reason === 'ENOENT' || reason === 'ECONNREFUSED'
}

/** The container was paused from outside: nothing can be started in it. */
export function saysPaused({ status, message }: EngineError): boolean {
  return status === 409 && /\bpaused\b/.test(message)
}
