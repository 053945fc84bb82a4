import type { ServerContext } from './sdk.ts'

/**
 * Runs the work of one call with a signal that aborts with the call's own signal, or `graceMs` after the
 * call's connection breaks. In an HTTP session a broken connection cancels nothing by itself (MCP 2025-11-25,
 * Transports), and the answer can no longer be delivered.
 */
export async function endingWhenBroken<T>(
  { mcpReq, http }: Pick<ServerContext, 'mcpReq' | 'http'>,
  graceMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController()
  const released = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const cancel = () => end.abort(mcpReq.signal.reason)
  const broken = () => {
    timer = setTimeout(() => end.abort(), graceMs)
  }
  const once = { once: true, signal: released.signal }
  if (mcpReq.signal.aborted) cancel()
  mcpReq.signal.addEventListener('abort', cancel, once)
  http?.req?.signal.addEventListener('abort', broken, once)
  try {
    return await work(end.signal)
  } finally {
    clearTimeout(timer)
    released.abort()
  }
}
