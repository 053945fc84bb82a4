import { existsSync } from 'node:fs'
import { sep } from 'node:path'
import { attach, detach } from '../../attach/attach.ts'
import { clientNamed } from '../../attach/clients.ts'
import { attachable } from '../../attach/names.ts'
import { directoryFor, recordOf } from '../../attach/record.ts'
import { didYouMean } from '../../base/did-you-mean.ts'
import { errorText } from '../../base/errno.ts'
import { packageFile } from '../../base/package-file.ts'
import { visible } from '../../base/text.ts'
import { misuse, type Options, parseAll } from '../arguments.ts'
import { heldModeOf } from '../configuration.ts'
import { grammar } from '../grammar.ts'
import { print, refuse, tell } from '../output.ts'

const usage = `Usage: vitrine attach CLIENT [--mode read|workspace] [--managed], or vitrine attach --list.\nClients: ${attachable.join(', ')}.`

/** `vitrine attach CLIENT`: has the client's own shell and file tools go through vitrine. */
export async function main(args: readonly string[]): Promise<number> {
  const { options, name } = nameIn(args)
  if (options.flags.has('list') && name === undefined) return list(options)
  const client = clientNamed(name)
  if (!client) throw misuse(unknown(name, usage))
  const mode = heldModeOf(options) ?? 'workspace'
  checkManaged(options, client.name)
  const { env } = process
  const program = [process.execPath, ownFile()] as const
  const place = {
    env,
    mode,
    program,
    directory: directoryFor(client.name, env),
    managed: options.flags.has('managed'),
  }
  return done(async () => {
    const lines = await attach(client, place)
    for (const note of client.notes(place)) await tell(note)
    return [...lines, `Restart ${client.name}. "vitrine detach ${client.name}" undoes this.`]
  })
}

/** `vitrine detach CLIENT` */
export async function detached(args: readonly string[]): Promise<number> {
  const { words } = parseAll('detach', args, grammar.detach)
  const client = clientNamed(words[0])
  if (!client)
    throw misuse(
      unknown(
        words[0],
        `Usage: vitrine detach CLIENT\n"vitrine attach --list" lists those that are attached.`,
      ),
    )
  return done(() => detach(client.name, process.env))
}

/** Options stand before the client, or behind it. */
function nameIn(args: readonly string[]): { readonly options: Options; readonly name: string | undefined } {
  const [first, ...rest] = args
  if (first !== undefined && !first.startsWith('-'))
    return { options: parseAll('attach', rest, { options: grammar.attach.options }), name: first }
  const options = parseAll('attach', args, grammar.attach)
  return { options, name: options.words[0] }
}

/** Clients that read settings of the machine's administrator. */
const managed = ['claude', 'codex', 'gemini']

function checkManaged({ flags }: Options, name: string): void {
  if (!flags.has('managed')) return
  if (!managed.includes(name))
    throw misuse(`${name} has no settings that a project cannot override: leave --managed out.`)
  if (process.getuid?.() !== 0)
    throw misuse(
      `--managed changes settings for every user of this machine: run it as root, or leave it out.`,
    )
}

function unknown(name: string | undefined, said: string): string {
  return name === undefined
    ? said
    : `"${visible(name)}" is no client that vitrine knows${didYouMean(name, attachable)}\n${said}`
}

async function done(work: () => Promise<readonly string[]>): Promise<number> {
  try {
    return print((await work()).map((line) => `${line}\n`).join(''))
  } catch (error) {
    return refuse(errorText(error))
  }
}

async function list(options: Options): Promise<number> {
  const rows = attachable.map((name) => ({ client: name, mode: recordOf(name, process.env)?.mode ?? null }))
  if (options.flags.has('json')) return print(`${JSON.stringify(rows, null, 2)}\n`)
  return print(
    rows
      .map(({ client, mode }) => `${client.padEnd(12)}${mode === null ? 'not attached' : `${mode} mode`}\n`)
      .join(''),
  )
}

/** The file of the command line. npm may clear the cache of npx at any time. */
function ownFile(): string {
  const file = process.argv[1] ?? packageFile('dist/cli.cjs')
  if (packageFile('package.json').includes(`${sep}_npx${sep}`) || !existsSync(file))
    throw misuse(
      'vitrine runs from the cache of npx, which npm may delete. Install it (npm i -g ./vitrine-VERSION.tgz), then run this again.',
    )
  return file
}
