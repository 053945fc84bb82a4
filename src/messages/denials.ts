import type { AnyResult, Denial, Operation } from '../base/types.ts'
import { visible } from '../base/visible.ts'
import { worthTelling } from './fallbacks.ts'

const maxLines = 5

/** Each operation as it follows "refused to": before its target, and when the target is unknown. */
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
  process: ['access another process:', 'access another process'],
  namespace: ['enter a namespace:', 'enter a namespace'],
  mount: ['change mounts:', 'change mounts'],
  system: ['change the system:', 'change the system'],
  other: ['make other calls:', 'make other calls'],
}

/** The first five refusals of a command, one line each, and the number of further attempts. */
export function denialLines(denials: readonly Denial[]): readonly string[] {
  const lines = denials.slice(0, maxLines).map((denial) => {
    const times = denial.count > 1 ? `, ${denial.count} times` : ''
    return `refused to ${whatWas(denial)} (${visible(denial.program) || 'a program'}${times})`
  })
  const rest = attemptsIn(denials.slice(maxLines))
  return rest === 0 ? lines : [...lines, `refused ${rest} more`]
}

/** The number of refused calls in a list. */
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

/** Where a command puts temporary files. */
export interface TemporaryDirectory {
  /** Its TMPDIR, if set. */
  readonly directory: string | undefined
  /** TMPDIR is private and writable (`private_tmp`). */
  readonly own: boolean
  /** Where the command ran: files around it are not temporary, even in /tmp. */
  readonly cwd: string
}

/** The reader of a hint: a person with a command line, or a model with the tools of an MCP server. */
export type HintReader = 'user' | 'tool'

/** What a hint depends on. */
export interface HintContext {
  readonly denials: readonly Denial[]
  readonly networkIsShut: boolean
  readonly temporary: TemporaryDirectory
  /** The command's stderr. */
  readonly errors: string
  /** It exited with 0. */
  readonly succeeded: boolean
  /** One program ran, without a shell around it. */
  readonly single: boolean
  readonly reader: HintReader
}

/** What each reader can do about a refusal. */
export const remedies = {
  user: {
    network: 'set network = true (--network), or run the command in write mode',
    networkAlone: 'For the network, set network = true (--network).',
    privateTmp: 'for temporary files and caches, set private_tmp = true (--private-tmp); ',
    write: 'run the command in write mode',
  },
  tool: {
    network: 'ask the user to set [shell] network = true; a call cannot',
    networkAlone: 'For the network, ask the user to set [shell] network = true.',
    privateTmp: 'for temporary files and caches, call with private_tmp: true; ',
    write: 'it needs write mode: use execute_command_write if that tool is listed, otherwise tell the user',
  },
} as const satisfies Record<HintReader, object>

const anyway = 'the command still exited with 0; '
const networkRefused = 'Read mode refuses the network'

/**
 * One sentence on what to do about refusals. After a command that exited with 0 it is the only sentence about them, and it is
 * absent if each refusal is a known fallback. A tool's answer names the refusals of a failed command in separate lines.
 */
export function denialHint(refused: HintContext): string | undefined {
  const { networkIsShut, temporary, succeeded, reader } = refused
  const denials = succeeded ? worthTelling(refused.denials, refused) : refused.denials
  if (denials.length === 0) return undefined
  const remedy = remedies[reader]
  if (networkIsShut && denials.every(isNetwork))
    return sentence(refused, ['the network', 'the network'], `if this is intended, ${remedy.network}.`)
  const others = denials.filter((denial) => !(networkIsShut && isNetwork(denial)))
  const also = others.length < denials.length ? ` ${remedy.networkAlone}` : ''
  const denial = decisive(others, refused)
  const instead = insteadOf(denial, temporary, reader)
  const more = succeeded && denials.length > 1 ? ` and ${denials.length - 1} more` : ''
  const named = [`to ${whatWas(denial)}${more}`, `${denialText(denial)}${more}`] as const
  return sentence(refused, named, `${instead}if this is intended, ${remedy.write}.${also}`)
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

/** A refusal as a tool's answer names it: `write src/a.ts`. */
export function denialText({ operation, path, address }: Denial): string {
  return visible([operation, path ?? address].filter((part) => part !== undefined).join(' '))
}

/** The refusals that the hint does not name: they get lines of their own. */
export function denialsBeside({
  denials,
  hint = '',
  outcome,
}: Pick<AnyResult, 'denials' | 'hint' | 'outcome'>): readonly Denial[] {
  if (outcome.kind === 'exited' && outcome.code === 0) return []
  if (hint.startsWith(networkRefused)) return denials.filter((denial) => !isNetwork(denial))
  return denials.filter((denial) => !hint.startsWith(`Read mode refuses to ${whatWas(denial)};`))
}

/** The refusal that the command's stderr names, otherwise the first. (What a tool can do without also comes first.) */
function decisive(denials: readonly Denial[], { errors, temporary }: HintContext): Denial {
  const log = denials.find((denial) => databaseOf(denial) !== undefined)
  if (log !== undefined) return log
  const names = [(path: string) => path, (path: string) => path.slice(path.lastIndexOf('/') + 1)]
  for (const name of names) {
    const told = denials.find(({ path }) => path !== undefined && errors.includes(name(path)))
    if (told !== undefined) return told
  }
  // A program that tries several directories for a temporary file names none of them.
  const place = /temporary/i.test(errors)
    ? denials.find((denial) => isTemporary(denial, temporary))
    : undefined
  return place ?? (denials[0] as Denial)
}

/** An alternative to what was refused, if there is one. */
function insteadOf(denial: Denial, { own, ...where }: TemporaryDirectory, reader: HintReader): string {
  const database = databaseOf(denial)
  if (database !== undefined)
    return `SQLite opens a WAL database without its log as 'file:${visible(database)}?immutable=1'; `
  if (denial.path?.includes('/__pycache__'))
    return 'python3 -m ast FILE checks the syntax without writing a file; '
  if (denial.program === 'git-lfs')
    return 'to compare without Git LFS, run git with -c filter.lfs.process= -c filter.lfs.required=false; '
  if (denial.program === 'gpg' && denial.path?.includes('/.#lk'))
    return 'gpg --lock-never reads keyrings without locks; '
  if (denial.operation === 'socket' && denial.address === 'unix')
    return 'services of this machine (Docker, D-Bus, ssh-agent, tmux) are out of reach; '
  if (!own && (isTemporary(denial, where) || isCache(denial))) return remedies[reader].privateTmp
  if (own && denial.path?.includes('/_cacache/'))
    return 'set npm_config_cache=$TMPDIR/npm to give npm a writable cache; '
  if (own && denial.path?.startsWith(`${where.directory}/`))
    return denial.operation === 'rename'
      ? 'files cannot leave $TMPDIR, which is removed after the command; '
      : ''
  return isTemporary(denial, where) ? 'the command can write temporary files to its private $TMPDIR; ' : ''
}

/** The database whose log or shared memory SQLite tried to create (sqlite.org/wal.html, "Read-Only Databases"). */
function databaseOf({ operation, path }: Denial): string | undefined {
  return operation === 'create' ? /^(.*)-(wal|shm)$/.exec(path ?? '')?.[1] : undefined
}

function isTemporary({ path }: Denial, { directory, cwd }: Omit<TemporaryDirectory, 'own'>): boolean {
  const places = ['/tmp', '/var/tmp', ...(directory ? [directory.replace(/\/+$/, '')] : [])]
  return path !== undefined && places.some((place) => place !== '' && isIn(place, path, cwd))
}

/** True if a path lies in a place, but not in the part of it that the command ran in. */
function isIn(place: string, path: string, cwd: string): boolean {
  if (path === place) return true
  const partOf = (inside: string) => inside.slice(place.length + 1).split('/', 1)[0]
  return path.startsWith(`${place}/`) && !(cwd.startsWith(`${place}/`) && partOf(path) === partOf(cwd))
}

/** True for a cache that a private TMPDIR holds, or makes unnecessary (src/request/tools.ts). */
function isCache({ operation, path, program }: Denial): boolean {
  if (path === undefined) return false
  if (program === 'fossil' && operation === 'create' && /\/(\.fossil|fossil\.db)$/.test(path)) return true
  if (program === 'cargo' && /\/target[^/]*(\/|$)/.test(path)) return true
  return /\/(_cacache|go-build|\.cargo\/\.[\w-]*cache[\w-]*)(\/|$)/.test(path)
}

/** True for what network = true allows. Unix sockets stay refused. */
function isNetwork({ operation, address }: Denial): boolean {
  if (operation === 'socket') return address === 'inet' || address === 'inet6'
  return operation === 'connect' && address !== undefined && !/^[/@]/.test(address)
}
