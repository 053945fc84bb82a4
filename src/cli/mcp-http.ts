import { randomBytes } from 'node:crypto'
import { errorReason } from '../base/errno.ts'
import { isLoopback, serveOnHttp } from '../mcp/http/server.ts'
import type { McpSession } from '../mcp/session.ts'
import { misuse } from './arguments.ts'
import { wrongValue } from './configuration.ts'
import { tell } from './output.ts'

/** Serves until a signal arrives. */
export async function serveUntilSignal(given: string, makeSession: () => McpSession): Promise<number> {
  const { host, port } = addressIn(given)
  const chosen = chosenToken(host)
  const token = chosen ?? randomBytes(32).toString('base64url')
  const log = (line: string) => void tell(line)
  const server = await serveOnHttp({ host, port, token, makeSession, log }).catch((error: unknown) => {
    throw misuse(
      `Cannot listen on ${host}:${port}: ${errorReason(error)}. Choose another port, or 0 for any free one.`,
    )
  })
  log(`listening on ${server.url}`)
  if (chosen === undefined) log(`clients must send "Authorization: Bearer ${token}"`)
  const ended = new Promise<void>((resolve) => {
    let end = () => {
      end = () => server.hurry()
      log('shutting down: waiting for running commands; a second signal kills them')
      resolve(server.close())
    }
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => end())
  })
  await ended
  return 0
}

/** `[HOST:]PORT` */
function addressIn(given: string): { readonly host: string; readonly port: number } {
  const match = /^(?:(?:\[([0-9A-Fa-f:.]+)\]|([^[\]:]+)):)?(\d{1,5})$/.exec(given)
  const port = Number(match?.[3])
  if (!match || port > 65_535)
    throw wrongValue('--http', 'a port or HOST:PORT (8080, 127.0.0.1:8080 or [::1]:8080)', given)
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port }
}

/** Undefined: none is chosen, and none needs to be. */
function chosenToken(host: string): string | undefined {
  const chosen = process.env['VITRINE_TOKEN']
  if (chosen === '')
    throw misuse('VITRINE_TOKEN is empty. Set it to a value that is hard to guess, or unset it.')
  // A header carries no other characters, so no client could send the token.
  if (chosen !== undefined && !/^[!-~]+$/.test(chosen))
    throw misuse(
      'VITRINE_TOKEN contains white space or a character that is not ASCII, which no client can send. Use letters, digits and punctuation.',
    )
  if (chosen === undefined && !isLoopback(host))
    throw misuse(
      `Other machines can reach ${host}, so it needs a token of your choice. Set VITRINE_TOKEN, or listen on 127.0.0.1.`,
    )
  return chosen
}
