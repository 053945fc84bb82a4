import type { ServerContext } from './sdk.ts'

/**
 * The signal aborts with the call's, or `graceMs` after its connection breaks: in an HTTP session that
 * cancels nothing by itself (MCP 2025-11-25, Transports), and no answer can be delivered.
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
