import type { AnyResult, Denial, Operation } from '../base/types.ts'
import { visible } from '../base/visible.ts'
import { worthTelling } from './fallbacks.ts'

const maxLines = 5

/** What each operation would have done: to stand after "refused to", before its target; and where that is not known. */
const verbs: Readonly<Record<Operation, readonly [withTarget: string, alone: string]>> = {
  write: ['write', 'write to a file'],
  create: ['create', 'create a file'],
  delete: ['delete', 'delete a file'],
  rename: ['rename', 'rename a file'],
  link: ['link', 'link a file'],
  truncate: ['truncate', 'truncate a file'],
  metadata: ['change the metadata of', 'change the metadata of a file'],
  device: ['use the device', 'use a device'],
  lock: ['lock', 'lock a file'],
  connect: ['connect to', 'connect'],
  socket: ['open a socket:', 'open a socket'],
  listen: ['listen at', 'listen'],
  ipc: ['use IPC:', 'use IPC'],
  key: ['use keyrings:', 'use keyrings'],
  signal: ['signal', 'signal a process'],
  process: ['reach into another process:', 'reach into another process'],
  namespace: ['enter a namespace:', 'enter a namespace'],
  mount: ['change mounts:', 'change mounts'],
  system: ['change the system:', 'change the system'],
  other: ['do more of that:', 'do more of that'],
}

/** The first refusals of a command, a line each; past five the attempts are only counted. */
export function denialLines(denials: readonly Denial[]): readonly string[] {
  const lines = denials.slice(0, maxLines).map((denial) => {
    const times = denial.count > 1 ? `, ${denial.count} times` : ''
    return `refused to ${whatWas(denial)} (${visible(denial.program) || 'a program'}${times})`
  })
  const rest = attemptsIn(denials.slice(maxLines))
  return rest === 0 ? lines : [...lines, `refused ${rest} more`]
}

/** How many refused calls a list stands for. */
export function attemptsIn(denials: readonly Denial[]): number {
  return denials.reduce((sum, { count }) => sum + count, 0)
}

function whatWas({ operation, path, address }: Denial): string {
  if (operation === 'socket' && address === 'unix') return 'open a unix socket'
  if (operation === 'socket' && address === 'multicast group') return 'join a multicast group'
  if (operation === 'socket' && address?.startsWith('option ')) return `set ${address} of a socket`
  const target = path ?? address
  const [withTarget, alone] = verbs[operation]
  return target === undefined ? alone : `${withTarget} ${visible(target)}`
}

/** Where a command may look for a place of temporary files. */
export interface TemporaryDirectory {
  /** Its TMPDIR, where it has one. */
  readonly directory: string | undefined
  /** That one is its own, and can be written to (`private_tmp`). */
  readonly own: boolean
  /** Where the command ran: what lies about it is no temporary file, wherever that is. */
  readonly cwd: string
}

/** Who reads a hint: a person with a command line, or a model with the tools of an MCP server. */
export type HintReader = 'user' | 'tool'

/** What a hint goes by. */
export interface HintContext {
  readonly denials: readonly Denial[]
  readonly networkIsShut: boolean
  readonly temporary: TemporaryDirectory
  /** What the command printed as errors. */
  readonly errors: string
  /** It ended with 0 all the same. */
  readonly succeeded: boolean
  /** One program ran, with no shell around it. */
  readonly single: boolean
  readonly reader: HintReader
}

/** What each reader can do. */
export const remedies = {
  user: {
    network: 'set network = true (--network), or run the command in write mode',
    networkAlone: 'For the network alone, set network = true (--network).',
    privateTmp: 'for temporary files and caches set private_tmp = true (--private-tmp); ',
    write: 'run the command in write mode',
  },
  tool: {
    network: 'ask the user to open it with [shell] network = true; no call can',
    networkAlone: 'For the network alone, ask the user to set [shell] network = true.',
    privateTmp: 'for temporary files and caches call with private_tmp: true; ',
    write: 'it needs write mode: use execute_command_write where that tool is listed, else tell the user',
  },
} as const satisfies Record<HintReader, object>

const anyway = 'the command ended with 0 all the same; '
const networkRefused = 'Read mode refuses the network'

/**
 * One sentence on what to do about refusals. After a command that ended with 0 it is all that is said of them, and there is none
 * where each is a known fallback. A tool's answer names the refusals of a failed command in lines of their own.
 */
export function denialHint(refused: HintContext): string | undefined {
  const { networkIsShut, temporary, succeeded, reader } = refused
  const denials = succeeded ? worthTelling(refused.denials, refused) : refused.denials
  if (denials.length === 0) return undefined
  const remedy = remedies[reader]
  if (networkIsShut && denials.every(isNetwork))
    return sentence(refused, ['the network', 'the network'], `if this is meant, ${remedy.network}.`)
  const others = denials.filter((denial) => !(networkIsShut && isNetwork(denial)))
  const also = others.length < denials.length ? ` ${remedy.networkAlone}` : ''
  const denial = decisive(others, refused)
  const instead = insteadOf(denial, temporary, reader)
  const more = succeeded && denials.length > 1 ? ` and ${denials.length - 1} more` : ''
  const named = [`to ${whatWas(denial)}${more}`, `${denialText(denial)}${more}`] as const
  return sentence(refused, named, `${instead}if this is meant, ${remedy.write}.${also}`)
}

function sentence(
  { reader, succeeded }: HintContext,
  [forUser, forTool]: readonly [string, string],
  remedy: string,
): string {
  const rest = `${succeeded ? anyway : ''}${remedy}`
  if (reader === 'user') return `Read mode refuses ${forUser}; ${rest}`
  return succeeded
    ? `blocked in read mode: ${forTool}; ${rest}`
    : rest.charAt(0).toUpperCase() + rest.slice(1)
}

/** What was refused, as a tool's answer names it: `write src/a.ts`. */
export function denialText({ operation, path, address }: Denial): string {
  return visible([operation, path ?? address].filter((part) => part !== undefined).join(' '))
}

/** Refusals that lines tell of beside the hint: each is told once. */
export function denialsBeside({
  denials,
  hint = '',
  outcome,
}: Pick<AnyResult, 'denials' | 'hint' | 'outcome'>): readonly Denial[] {
  if (outcome.kind === 'exited' && outcome.code === 0) return []
  if (hint.startsWith(networkRefused)) return denials.filter((denial) => !isNetwork(denial))
  return denials.filter((denial) => !hint.startsWith(`Read mode refuses to ${whatWas(denial)};`))
}

/** The refusal that the command's own errors are about, else the first: what a tool tries and does without comes first, too. */
function decisive(denials: readonly Denial[], { errors, temporary }: HintContext): Denial {
  const log = denials.find((denial) => databaseOf(denial) !== undefined)
  if (log !== undefined) return log
  const names = [(path: string) => path, (path: string) => path.slice(path.lastIndexOf('/') + 1)]
  for (const name of names) {
    const told = denials.find(({ path }) => path !== undefined && errors.includes(name(path)))
    if (told !== undefined) return told
  }
  // Names are tried one after the other, and none of them told.
  const place = /temporary/i.test(errors)
    ? denials.find((denial) => isTemporary(denial, temporary))
    : undefined
  return place ?? (denials[0] as Denial)
}

/** What to do in place of what was refused, where there is something. */
function insteadOf(denial: Denial, { own, ...where }: TemporaryDirectory, reader: HintReader): string {
  const database = databaseOf(denial)
  if (database !== undefined)
    return `SQLite reads a database in WAL mode without a log as 'file:${visible(database)}?immutable=1'; `
  if (denial.path?.includes('/__pycache__')) return 'python3 -m ast FILE checks the syntax without a file; '
  if (denial.program === 'git-lfs')
    return 'git compares without Git LFS with -c filter.lfs.process= -c filter.lfs.required=false; '
  if (denial.program === 'gpg' && denial.path?.includes('/.#lk'))
    return 'gpg looks at its keyrings without locks with --lock-never; '
  if (denial.operation === 'socket' && denial.address === 'unix')
    return 'services of this machine (Docker, D-Bus, ssh-agent, tmux) cannot be talked to; '
  if (!own && (isTemporary(denial, where) || isCache(denial))) return remedies[reader].privateTmp
  if (own && denial.path?.includes('/_cacache/'))
    return 'npm takes another cache with npm_config_cache=$TMPDIR/npm; '
  if (own && denial.path?.startsWith(`${where.directory}/`))
    return denial.operation === 'rename'
      ? 'what is in $TMPDIR cannot leave it, and is removed after the command; '
      : ''
  return isTemporary(denial, where) ? 'temporary files can be written to $TMPDIR, which is its own; ' : ''
}

/** Whose log or shared memory SQLite would have made (sqlite.org/wal.html, "Read-Only Databases"). */
function databaseOf({ operation, path }: Denial): string | undefined {
  return operation === 'create' ? /^(.*)-(wal|shm)$/.exec(path ?? '')?.[1] : undefined
}

function isTemporary({ path }: Denial, { directory, cwd }: Omit<TemporaryDirectory, 'own'>): boolean {
  const places = ['/tmp', '/var/tmp', ...(directory ? [directory.replace(/\/+$/, '')] : [])]
  return path !== undefined && places.some((place) => place !== '' && isIn(place, path, cwd))
}

/** Whether a path lies in a place, and not in the part of it that the command ran in. */
function isIn(place: string, path: string, cwd: string): boolean {
  if (path === place) return true
  const partOf = (inside: string) => inside.slice(place.length + 1).split('/', 1)[0]
  return path.startsWith(`${place}/`) && !(cwd.startsWith(`${place}/`) && partOf(path) === partOf(cwd))
}

/** What a private TMPDIR takes up, or makes dispensable (src/request/tools.ts). */
function isCache({ operation, path, program }: Denial): boolean {
  if (path === undefined) return false
  if (program === 'fossil' && operation === 'create' && /\/(\.fossil|fossil\.db)$/.test(path)) return true
  if (program === 'cargo' && /\/target[^/]*(\/|$)/.test(path)) return true
  return /\/(_cacache|go-build|\.cargo\/\.[\w-]*cache[\w-]*)(\/|$)/.test(path)
}

/** What network = true would let through. Unix sockets stay shut. */
function isNetwork({ operation, address }: Denial): boolean {
  if (operation === 'socket') return address === 'inet' || address === 'inet6'
  return operation === 'connect' && address !== undefined && !/^[/@]/.test(address)
}
