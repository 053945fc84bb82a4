/** After `ms` resolves to `late`. */
export async function within<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late), ms)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
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
  /** Aborts at the time limit, or with the caller's signal. */
  readonly signal: AbortSignal
  readonly end: () => void
}

/**
 * Has its own timer: AbortSignal.any and AbortSignal.timeout can be collected before they fire (nodejs/node#57736), and the wait
 * would never end.
 */
export function abortAfter(timeoutMs: number, signal: AbortSignal | undefined): Wait {
  const over = new AbortController()
  const abort = () => over.abort()
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(abort, timeoutMs)
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return { signal: over.signal, end }
}
