import { accessSync, closeSync, constants, fstatSync, openSync, readlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { ShellCall } from '../../attach/client.ts'
import { clientNamed } from '../../attach/clients.ts'
import { overridesIn } from '../../attach/project.ts'
import { withAttached } from '../../attach/record.ts'
import { succeeds, tried } from '../../base/errno.ts'
import { programName, statFields } from '../../base/process.ts'
import { clipped, visible } from '../../base/text.ts'
import { currentDirectory, loadConfig, openShell, type Shell } from '../../internal.ts'
import { misuse, type Options, parseAll } from '../arguments.ts'
import { heldModeOf, unbounded } from '../configuration.ts'
import { grammar } from '../grammar.ts'
import { refuse } from '../output.ts'
import { OutputRelay } from '../run/relay.ts'
import { standardInput } from '../run/request.ts'
import { leaveEarly, runStreaming } from '../run/run.ts'

const from = 'vitrine sh'

/** `vitrine sh -c LINE`: what a client starts in place of bash. Its time limits rule, and the line lives no longer than the client. */
export async function main(args: readonly string[]): Promise<number> {
  const at = args.indexOf('-c')
  if (at < 0 || at === args.length - 1) throw misuse('A line is missing: `vitrine sh -c LINE`.')
  const own = args.slice(0, args[at - 1] === '--' ? at - 1 : at)
  const options = parseAll('sh', own, grammar.sh)
  const name = options.values.get('client')
  const client = clientNamed(name)
  if (name !== undefined && !client)
    throw misuse(`--client takes a client that vitrine knows, not "${visible(name)}".`)
  const words = args.slice(at)
  const call = client?.line ? client.line(words) : plainLine(words)
  if (!call)
    return refuse(
      `${client?.name ?? 'The client'} has started its shell in a way that this version of vitrine does not know, so nothing ran: ` +
        `${clipped(words.join(' '), 300)}. Tell the user: update vitrine, or detach it.`,
    )
  const project = options.values.get('project') ?? projectDirectory()
  if (client) {
    const [override] = await overridesIn(client, project, process.env)
    if (override !== undefined) return refuse(override)
  }
  return run(call, project, options)
}

/** What other clients start a shell with. */
function plainLine([, line = '', ...more]: readonly string[]): ShellCall | undefined {
  return line !== '' && more.length === 0 ? { line, reads: true } : undefined
}

/** Where the client was started: what it changes to with `cd` is another directory of the same project. */
function projectDirectory(): string {
  return tried(() => readlinkSync(`/proc/${process.ppid}/cwd`)) ?? currentDirectory()
}

async function run(call: ShellCall, project: string, options: Options): Promise<number> {
  const relay = new DirectoryRelay()
  // Where the client's own sandbox lets nothing be written, commands have no TMPDIR.
  const isReadOnly = !succeeds(() => accessSync(tmpdir(), constants.W_OK))
  const mode = isReadOnly ? 'read' : (heldModeOf(options) ?? 'read')
  const shell = await openShell({
    cwd: project,
    mode,
    config: await configIn(project, mode === 'read' && !isReadOnly),
  })
  const watch = closeWithClient(shell)
  relay.onCancel = () => void shell.close()
  const line = call.directoryFile === undefined ? call.line : call.line + relay.told
  const merged = areSame(1, 2)
  const code = await runStreaming(
    shell,
    {
      each: false,
      requests: [{ command: line, cwd: currentDirectory(), merged }],
      hintFor: 'only-command',
      stdin: call.reads ? standardInput(mode) : undefined,
    },
    relay,
  )
  clearInterval(watch)
  if (call.directoryFile !== undefined && relay.directory !== undefined)
    writeDirectory(call.directoryFile, relay.directory)
  leaveEarly()
  return code
}

/** Bash puts what a long here-document says into a file, for which read mode needs a TMPDIR. */
async function configIn(cwd: string, privateTmp: boolean) {
  const ours = { 'shell.program': { value: 'bash', from }, ...unbounded(from) }
  const flags = privateTmp ? { ...ours, 'shell.private_tmp': { value: true, from } } : ours
  return withAttached(await loadConfig({ cwd, env: process.env, flags }), process.env)
}

/** A client that is killed says nothing to what it has started. */
function closeWithClient(shell: Shell): NodeJS.Timeout {
  const before = wayToClient()
  const watch = setInterval(() => {
    if (wayToClient() !== before) void shell.close()
  }, 500)
  return watch.unref()
}

/** The processes from here to the client: shells stand between where it has a line of its own around ours, and outlive it. */
function wayToClient(): string {
  const way = [process.ppid]
  while (isShell(way.at(-1) ?? 0)) way.push(Number(statFields(way.at(-1) ?? 0)?.[4] ?? 0))
  return way.join()
}

function isShell(pid: number): boolean {
  return pid > 1 && /^(ba|da|z|k)?sh$/.test(programName(pid))
}

function areSame(one: number, other: number): boolean {
  const [a, b] = [fstatSync(one), fstatSync(other)]
  return a.ino === b.ino && a.dev === b.dev
}

/** As the client's own line would: it has made the name, and takes the file away. */
function writeDirectory(file: string, directory: string): void {
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants
  const descriptor = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
  try {
    writeSync(descriptor, `${directory}\n`)
  } finally {
    closeSync(descriptor)
  }
}

/** Takes the directory in which a line has ended out of its output, where `told` puts it behind a mark. */
class DirectoryRelay extends OutputRelay {
  readonly #mark = Buffer.from(`\0${Math.random().toString(36).slice(2).padEnd(8, '0')}\0`)
  #kept: Buffer = Buffer.alloc(0)
  directory: string | undefined

  /** What a line has behind it: no process is started for it. */
  get told(): string {
    const mark = this.#mark.toString().replaceAll('\0', '\\000')
    return ` && \\builtin printf '${mark}' && \\builtin pwd -P && \\builtin printf '${mark}'`
  }

  override pass(stream: 'stdout' | 'stderr', chunk: Buffer): Promise<void> {
    if (stream === 'stderr') return super.pass(stream, chunk)
    const bytes = Buffer.concat([this.#kept, chunk])
    const [begin, end] = [bytes.indexOf(this.#mark), bytes.lastIndexOf(this.#mark)]
    const from = begin >= 0 ? begin : startOf(this.#mark, bytes)
    this.#kept = bytes.subarray(from)
    if (end > begin) {
      this.directory = bytes.toString('utf8', begin + this.#mark.length, end - 1)
      this.#kept = bytes.subarray(end + this.#mark.length)
    }
    return from > 0 ? super.pass(stream, bytes.subarray(0, from)) : Promise.resolve()
  }

  override end(): void {
    if (this.#kept.length > 0) void super.pass('stdout', this.#kept)
    this.#kept = Buffer.alloc(0)
    super.end()
  }
}

/** Where the bytes end with a beginning of the mark; their length: they do not. */
function startOf(mark: Buffer, bytes: Buffer): number {
  const last = bytes.lastIndexOf(0)
  return last >= 0 &&
    bytes.length - last < mark.length &&
    mark.subarray(0, bytes.length - last).equals(bytes.subarray(last))
    ? last
    : bytes.length
}
