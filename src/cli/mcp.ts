import { absolutePath, type Mode, modes } from '../internal.ts'
import type { McpSession, ServerOptions } from '../mcp/session.ts'
import { prefixed } from '../messages/cli/run.ts'
import * as say from '../messages/mcp/serve.ts'
import { checkServed, flagsFor, workspaceOf } from './configuration.ts'
import { grammar } from './grammar.ts'
import { misuse, type Options, parseOptions } from './options.ts'
import { packageVersion } from './package-file.ts'
import { standardError } from './run/sink.ts'

export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, grammar.mcp.options)
  const [word, ...rest] = options.words
  if (word === 'install') return (await import('./mcp-install.ts')).install(rest, checkChoices)
  if (word !== undefined) throw misuse(say.strayWords(options.words))
  const http = options.values.get('http')
  const given = serverOptions(options)
  if (given.modes) await checkServed(given.modes, options)
  const { McpSession } = await import('../mcp/session.ts')
  const makeSession = () => new McpSession(given)
  return http === undefined ? onStdio(makeSession()) : onHttp(http, makeSession)
}

async function onStdio(session: McpSession): Promise<number> {
  // The shell opens while the SDK loads.
  void session.warm()
  const { serveOnStdio } = await import('../mcp/stdio.ts')
  await serveOnStdio(session)
  return 0
}

async function onHttp(given: string, makeSession: () => McpSession): Promise<number> {
  const { serveUntilSignal, httpAddress, httpToken } = await import('../mcp/http/command.ts')
  const address = httpAddress(given) ?? refuse(say.badHttp(given))
  const token = httpToken(address.host, process.env['VITRINE_TOKEN'])
  if ('refusal' in token) throw misuse(token.refusal)
  const { failure } = await serveUntilSignal({ ...address, ...token, makeSession, log })
  if (failure !== undefined) throw misuse(failure)
  return 0
}

function serverOptions({ values, flags, lists }: Options): ServerOptions {
  return {
    version: packageVersion(),
    ...checkChoices(values),
    structured: flags.has('structured'),
    earlierSessions: !values.has('http'),
    cwd: absolutePath(values.get('cwd') ?? '.'),
    config: values.get('config'),
    flags: flagsFor({ values, flags, lists }),
    workspace: workspaceOf(values.get('workspace')),
    log,
  }
}

/** Reads --mode and --approve. Throws INVALID_REQUEST for anything else. */
function checkChoices(values: ReadonlyMap<string, string>): Pick<ServerOptions, 'modes' | 'approve'> {
  const served = modesOf(values.get('mode'))
  const approve = values.get('approve') ?? 'client'
  if (approve !== 'client' && approve !== 'elicit' && approve !== 'none') refuse(say.badApprove(approve))
  return { modes: served, approve }
}

/** `read,workspace`: a list of modes, from the strictest on; `both` is `read,write`. */
function modesOf(given: string | undefined): readonly Mode[] | undefined {
  if (given === undefined) return undefined
  if (given === 'both') return ['read', 'write']
  const words = given.split(',')
  const unknown = words.find((word) => !modes.some((mode) => mode === word))
  if (unknown !== undefined) refuse(say.badMode(unknown))
  return modes.filter((mode) => words.includes(mode))
}

/** Writes to stderr: stdout carries the protocol. */
function log(line: string): void {
  void standardError.write(prefixed(line))
}

function refuse(sentence: string): never {
  throw misuse(sentence)
}
