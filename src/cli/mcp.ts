import { absolutePath, type Mode, modes } from '../internal.ts'
import type { ServerOptions } from '../mcp/session.ts'
import { misuse, type Options, parseOptions } from './arguments.ts'
import { checkServed, flagsFor, loadConfigFor, workspaceOf, wrongValue } from './configuration.ts'
import { grammar } from './grammar.ts'
import { packageVersion, tell } from './output.ts'

export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, grammar.mcp.options)
  const [word, ...rest] = options.words
  if (word === 'install') return (await import('./mcp-install.ts')).install(rest, checkChoices)
  if (word !== undefined)
    throw misuse(
      `vitrine mcp does not take ${JSON.stringify(word)}; use "vitrine mcp [OPTIONS]" or "vitrine mcp install CLIENT".`,
    )
  const http = options.values.get('http')
  const given = serverOptions(options)
  if (given.modes) await checkServed(given.modes, options)
  if (http !== undefined) {
    const { serveUntilSignal } = await import('./mcp-http.ts')
    return serveUntilSignal(http, given, await loadConfigFor(options))
  }
  const { McpSession } = await import('../mcp/session.ts')
  if (process.stdin.isTTY)
    await tell(
      'this is a server for agents: it waits for messages of the Model Context Protocol on standard input, one a line. "vitrine mcp install CLIENT" adds it to a client, "vitrine run COMMAND" runs a command here; Ctrl-D ends it.',
    )
  const session = new McpSession(given)
  // The shell opens while the SDK loads.
  void session.warm()
  const { serveOnStdio } = await import('../mcp/stdio.ts')
  await serveOnStdio(session)
  return 0
}

function serverOptions({ values, flags, lists }: Options): ServerOptions {
  return {
    version: packageVersion(),
    ...checkChoices(values),
    toolPerMode: flags.has('tool-per-mode'),
    structured: flags.has('structured'),
    files: flags.has('files'),
    earlierSessions: !values.has('http'),
    cwd: absolutePath(values.get('cwd') ?? '.'),
    config: values.get('config'),
    flags: flagsFor({ values, flags, lists }),
    workspace: workspaceOf(values.get('workspace')),
    // To stderr: stdout carries the protocol.
    log: (line) => void tell(line),
  }
}

/** Reads --mode and --approve. Throws INVALID_REQUEST for anything else. */
function checkChoices(values: ReadonlyMap<string, string>): Pick<ServerOptions, 'modes' | 'approve'> {
  const served = modesOf(values.get('mode'))
  const approve = values.get('approve') ?? 'client'
  if (approve !== 'client' && approve !== 'elicit' && approve !== 'none')
    throw wrongValue('--approve', 'client, elicit or none', approve)
  return { modes: served, approve }
}

/** `read,workspace`: a list of modes, from the strictest on; `both` is `read,write`. */
function modesOf(given: string | undefined): readonly Mode[] | undefined {
  if (given === undefined) return undefined
  if (given === 'both') return ['read', 'write']
  const words = given.split(',')
  const unknown = words.find((word) => !modes.some((mode) => mode === word))
  if (unknown !== undefined)
    throw wrongValue('--mode', 'read, workspace and write, separated by commas, or both', unknown)
  return modes.filter((mode) => words.includes(mode))
}
