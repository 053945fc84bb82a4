import { errorReason } from '../../base/errno.ts'
import {
  cannotListen,
  drainingLine,
  emptyToken,
  listeningLine,
  tokenLine,
  tokenNeeded,
  unsendableToken,
} from '../../messages/mcp/serve.ts'
import { type HttpOptions, type HttpServer, isLoopback, serveOnHttp } from './server.ts'
import { makeToken } from './token.ts'

/** Parses `[HOST:]PORT`; undefined if malformed. */
export function httpAddress(given: string): { readonly host: string; readonly port: number } | undefined {
  const match = /^(?:(?:\[([0-9A-Fa-f:.]+)\]|([^[\]:]+)):)?(\d{1,5})$/.exec(given)
  const port = Number(match?.[3])
  if (!match || port > 65_535) return undefined
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port }
}

/** The token that clients need: the chosen one, or else a random one. */
export function httpToken(
  host: string,
  chosen: string | undefined,
): { readonly token: string; readonly made: boolean } | { readonly refusal: string } {
  if (chosen === '') return { refusal: emptyToken }
  // A header carries no other characters, so no client could send the token.
  if (chosen !== undefined && !/^[!-~]+$/.test(chosen)) return { refusal: unsendableToken }
  if (chosen !== undefined) return { token: chosen, made: false }
  return isLoopback(host) ? { token: makeToken(), made: true } : { refusal: tokenNeeded(host) }
}

/** Serves until a signal arrives. `failure` says why it could not listen. */
export async function serveUntilSignal({
  made,
  ...options
}: HttpOptions & { readonly made: boolean }): Promise<{ readonly failure?: string }> {
  const server = await listenOrSay(options)
  if ('failure' in server) return server
  options.log(listeningLine(server.url))
  if (made) options.log(tokenLine(options.token))
  const { first, second } = endingSignals()
  await first
  options.log(drainingLine)
  void second.then(() => server.hurry())
  await server.close()
  return {}
}

async function listenOrSay(options: HttpOptions): Promise<HttpServer | { readonly failure: string }> {
  try {
    return await serveOnHttp(options)
  } catch (error) {
    const reason = errorReason(error)
    return { failure: cannotListen(`${options.host}:${options.port}`, reason) }
  }
}

function endingSignals(): { readonly first: Promise<void>; readonly second: Promise<void> } {
  const came: (() => void)[] = []
  const first = new Promise<void>((resolve) => came.push(resolve))
  const second = new Promise<void>((resolve) => came.push(resolve))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => came.shift()?.())
  return { first, second }
}
