import { sep } from 'node:path'
import { didYouMean } from '../base/did-you-mean.ts'
import { errorText } from '../base/errno.ts'
import { packageFile } from '../base/package-file.ts'
import { visible } from '../base/text.ts'
import type { Mode } from '../internal.ts'
import {
  type Client,
  type ClientName,
  clientNames,
  clientOf,
  type ServerCommand,
} from '../mcp/install/clients.ts'
import { entryText, installEntry } from '../mcp/install/install.ts'
import { misuse, parseOptions } from './arguments.ts'
import { backendOf, checkServed, type GivenOptions, programOf } from './configuration.ts'
import { grammar } from './grammar.ts'
import { print, refuse, tell } from './output.ts'

const usage = `Choose a client: vitrine mcp install ${clientNames.join('|')} [--mode MODES] [--approve client|elicit|none] [--files] [--network | --allow-host HOST] [--private-tmp] [--shell SHELL] [--backend BACKEND] [--print | --write].`

/** Prints the client's entry for this server, or writes it into the client's configuration. */
export async function install(
  args: readonly string[],
  check: (options: ReadonlyMap<string, string>) => { readonly modes?: readonly Mode[] | undefined },
): Promise<number> {
  const [name, ...rest] = parseOptions(args, {}).words
  const { flags, values, lists, words } = parseOptions(rest, grammar.mcp.commands.install.options)
  if (name !== undefined && !isClient(name))
    throw misuse(`vitrine has no entry for "${visible(name)}"${didYouMean(name, clientNames)}\n${usage}`)
  if (name === undefined || words.length > 0) throw misuse(usage)
  if (flags.has('print') && flags.has('write')) throw misuse('Use either --print or --write, not both.')
  const { modes } = check(values)
  if (modes) await checkServed(modes, { flags, values, lists })
  backendOf(values.get('backend'))
  // Each of these clients keeps what its user allows by the tool's name: read mode stays allowed alone.
  const each = modes && modes.length > 1 ? (['--tool-per-mode'] as const) : []
  const command = [...serverCommand({ flags, values, lists }), ...each] as const
  const client = clientOf(name, command, process.env)
  if (!flags.has('write')) return show(client)
  try {
    await tell(await installEntry(client))
    return 0
  } catch (error) {
    return refuse(errorText(error))
  }
}

async function show(client: Client): Promise<number> {
  const code = await print(entryText(client))
  await tell(`put this into ${client.file}, or let --write do it`)
  if (client.own !== undefined) await tell(`or run: ${client.own}`)
  return code
}

/** Uses absolute paths: a client started outside a terminal may have another PATH. */
function serverCommand({ flags, values, lists }: GivenOptions): ServerCommand {
  const chosen = ['mode', 'approve', 'shell', 'backend'].flatMap((name) => {
    const value = name === 'shell' ? programOf(values.get(name)) : values.get(name)
    return value === undefined ? [] : [`--${name}`, value]
  })
  const switched = ['files', 'network', 'private-tmp'].flatMap((name) =>
    flags.has(name) ? [`--${name}`] : [],
  )
  const hosts = lists.get('allow-host')?.flatMap((host) => ['--allow-host', host]) ?? []
  const options = [...chosen, ...switched, ...hosts]
  const cli = process.argv[1] ?? packageFile('dist/cli.cjs')
  // npm may clear its cache at any time, and a package name fetched again may belong to another publisher.
  if (packageFile('package.json').includes(`${sep}_npx${sep}`))
    throw misuse(
      'vitrine runs from the cache of npx, which npm may delete. Install it (npm i -g ./vitrine-VERSION.tgz), then run this again.',
    )
  return [process.execPath, cli, 'mcp', ...options]
}

function isClient(name: string | undefined): name is ClientName {
  return (clientNames as readonly (string | undefined)[]).includes(name)
}
