import { sep } from 'node:path'
import { packageFile } from '../base/package-file.ts'
import type { Mode } from '../internal.ts'
import {
  type ClientName,
  clientNames,
  clientOf,
  ownCommand,
  type ServerCommand,
} from '../mcp/install/clients.ts'
import { entryText, installEntry } from '../mcp/install/install.ts'
import { prefixed } from '../messages/cli/run.ts'
import * as say from '../messages/mcp/install.ts'
import { exitCode } from './command.ts'
import { backendOf, checkServed, programOf } from './configuration.ts'
import { grammar } from './grammar.ts'
import { misuse, type Options, parseOptions } from './options.ts'
import { print, standardError } from './run/sink.ts'

/** Prints the client's entry for this server, or writes it into the client's configuration. */
export async function install(
  args: readonly string[],
  check: (options: ReadonlyMap<string, string>) => { readonly modes?: readonly Mode[] | undefined },
): Promise<number> {
  const [name, ...rest] = parseOptions(args, {}).words
  const { flags, values, lists, words } = parseOptions(rest, grammar.mcp.commands.install.options)
  if (!isClient(name) || words.length > 0) throw misuse(say.installUsage(clientNames))
  if (flags.has('print') && flags.has('write')) throw misuse(say.printAndWrite)
  const { modes } = check(values)
  if (modes) await checkServed(modes, { flags, values, lists })
  backendOf(values.get('backend'))
  const command = serverCommand({ flags, values, lists })
  return flags.has('write') ? write(name, command) : show(name, command)
}

async function show(name: ClientName, command: ServerCommand): Promise<number> {
  const client = clientOf(name, command, process.env)
  const own = ownCommand(name, command)
  const code = await print(entryText(client))
  await standardError.write(prefixed(say.whereLine(client.file)))
  if (own !== undefined) await standardError.write(prefixed(say.ownCommandLine(own)))
  return code
}

async function write(name: ClientName, command: ServerCommand): Promise<number> {
  const installed = await installEntry(clientOf(name, command, process.env))
  switch (installed.kind) {
    case 'written':
      await standardError.write(prefixed(say.writtenText(installed.file, installed.backup)))
      return 0
    case 'unchanged':
      await standardError.write(prefixed(say.unchangedText(installed.file)))
      return 0
    case 'failed':
      await standardError.write(prefixed(say.failedText(installed.file, installed.reason)))
      return exitCode.refused
  }
}

/** Uses absolute paths: a client started outside a terminal may have another PATH. */
function serverCommand({ flags, values, lists }: Omit<Options, 'words'>): ServerCommand {
  const chosen = ['mode', 'approve', 'shell', 'backend'].flatMap((name) => {
    const value = name === 'shell' ? programOf(values.get(name)) : values.get(name)
    return value === undefined ? [] : [`--${name}`, value]
  })
  const switched = ['network', 'private-tmp'].flatMap((name) => (flags.has(name) ? [`--${name}`] : []))
  const hosts = lists.get('allow-host')?.flatMap((host) => ['--allow-host', host]) ?? []
  const options = [...chosen, ...switched, ...hosts]
  const cli = process.argv[1] ?? packageFile('dist/cli.cjs')
  // npm may clear its cache at any time, and a package name fetched again may belong to another publisher.
  if (packageFile('package.json').includes(`${sep}_npx${sep}`)) throw misuse(say.notInstalled)
  return [process.execPath, cli, 'mcp', ...options]
}

function isClient(name: string | undefined): name is ClientName {
  return (clientNames as readonly (string | undefined)[]).includes(name)
}
