import { errorReason } from '../base/errno.ts'
import type { LoadedConfig } from '../internal.ts'
import { serveOnHttp } from '../mcp/http/server.ts'
import { makeTracing } from '../mcp/http/spans.ts'
import { McpSession, type ServerOptions } from '../mcp/session.ts'
import { misuse } from './arguments.ts'
import { wrongValue } from './configuration.ts'
import { optionsOf, tokensFor } from './mcp-tokens.ts'
import { standardOutput, tell } from './output.ts'

/** Serves until a signal arrives. */
export async function serveUntilSignal(
  address: string,
  given: ServerOptions,
  { config }: LoadedConfig,
): Promise<number> {
  const { host, port } = addressIn(address)
  const { tokens: file, ...settings } = config.http
  const { holders, made } = tokensFor(host, file)
  const options = optionsOf(given, holders, file)
  const log = (line: string) => void tell(line)
  const server = await serveOnHttp({
    host,
    port,
    tokens: holders,
    settings,
    makeSession: (token) => new McpSession(options.get(token) ?? given),
    tracing: await makeTracing(log),
    log,
    report: (event) => void standardOutput.write(`${JSON.stringify(event)}\n`),
  }).catch((error: unknown) => {
    throw misuse(
      `Cannot listen on ${host}:${port}: ${errorReason(error)}. Choose another port, or 0 for any free one.`,
    )
  })
  log(`listening on ${server.url}`)
  if (made !== undefined) log(`clients must send "Authorization: Bearer ${made}"`)
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
