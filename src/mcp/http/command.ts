import { randomBytes } from 'node:crypto'
import { errorReason } from '../../base/errno.ts'
import { type HttpOptions, type HttpServer, isLoopback, serveOnHttp } from './server.ts'

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
  if (chosen === '')
    return { refusal: 'VITRINE_TOKEN is empty. Set it to a value that is hard to guess, or unset it.' }
  // A header carries no other characters, so no client could send the token.
  if (chosen !== undefined && !/^[!-~]+$/.test(chosen))
    return {
      refusal:
        'VITRINE_TOKEN contains white space or a character that is not ASCII, which no client can send. Use letters, digits and punctuation.',
    }
  if (chosen !== undefined) return { token: chosen, made: false }
  if (isLoopback(host)) return { token: randomBytes(32).toString('base64url'), made: true }
  return {
    refusal: `Other machines can reach ${host}, so it needs a token of your choice. Set VITRINE_TOKEN, or listen on 127.0.0.1.`,
  }
}

/** Serves until a signal arrives. `failure` says why it could not listen. */
export async function serveUntilSignal({
  made,
  ...options
}: HttpOptions & { readonly made: boolean }): Promise<{ readonly failure?: string }> {
  const server = await listenOrSay(options)
  if ('failure' in server) return server
  options.log(`listening on ${server.url}`)
  if (made) options.log(`clients must send "Authorization: Bearer ${options.token}"`)
  const { first, second } = endingSignals()
  await first
  options.log('shutting down: waiting for running commands; a second signal kills them')
  void second.then(() => server.hurry())
  await server.close()
  return {}
}

async function listenOrSay(options: HttpOptions): Promise<HttpServer | { readonly failure: string }> {
  try {
    return await serveOnHttp(options)
  } catch (error) {
    return {
      failure: `Cannot listen on ${options.host}:${options.port}: ${errorReason(error)}. Choose another port, or 0 for any free one.`,
    }
  }
}

function endingSignals(): { readonly first: Promise<void>; readonly second: Promise<void> } {
  const came: (() => void)[] = []
  const first = new Promise<void>((resolve) => came.push(resolve))
  const second = new Promise<void>((resolve) => came.push(resolve))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => came.shift()?.())
  return { first, second }
}
