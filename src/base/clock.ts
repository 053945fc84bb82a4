import { setMaxListeners } from 'node:events'
import { tried } from './errno.ts'

/** Monotonic milliseconds from an arbitrary start. Loading the global `performance` takes 5 % of Node's start. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/** After `ms` resolves to `late`; `Infinity`: never. */
export async function within<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<L>((resolve) => {
    if (ms < Infinity) timer = setTimeout(resolve, ms, late)
  })
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}

/** Once the signal aborts resolves to `over()`. */
export function unlessAborted<T, O>(work: Promise<T>, signal: AbortSignal, over: () => O): Promise<T | O> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(over())
    signal.addEventListener('abort', abort, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })
}

export interface Wait {
  /** Aborts at the time limit, or with a caller's signal. */
  readonly signal: AbortSignal
  readonly end: () => void
}

/**
 * Has its own timer: AbortSignal.any and AbortSignal.timeout can be collected before they fire (nodejs/node#57736), and the wait
 * would never end.
 */
export function abortAfter(timeoutMs: number, ...signals: readonly (AbortSignal | undefined)[]): Wait {
  const over = new AbortController()
  const abort = () => over.abort()
  if (signals.some((signal) => signal?.aborted)) abort()
  const forgets = signals.map((signal) => onAbort(signal, abort))
  const timer = timeoutMs < Infinity ? setTimeout(abort, timeoutMs) : undefined
  const end = () => {
    clearTimeout(timer)
    for (const forget of forgets) forget()
  }
  return { signal: over.signal, end }
}

/** Calls back when the signal aborts, until the function that it returns is called. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (!signal) return () => {}
  // A signal can end any number of commands: Node would warn of a leak at the eleventh listener.
  tried(() => setMaxListeners(0, signal))
  signal.addEventListener('abort', call, { once: true })
  return () => signal.removeEventListener('abort', call)
}

/**
 * A function that runs later as if it were called from here: its AsyncLocalStorage values are those of now.
 * `AsyncResource.bind` does the same at a hundred times the cost.
 */
export function inThisContext<Given extends unknown[], Returned>(
  call: (...given: Given) => Returned,
): (...given: Given) => Returned {
  const { AsyncResource } = process.getBuiltinModule('node:async_hooks')
  const resource = new AsyncResource('vitrine')
  return (...given) => resource.runInAsyncScope(call, undefined, ...given)
}
