import type {
  Alternative,
  Opening,
  RefusalHint,
  Remedy,
  RepositoryRemedy,
  ShutSockets,
} from '../base/hint.ts'
import { isBeneath } from '../base/paths.ts'
import { isNamed } from '../base/text.ts'
import type { Connection, Denial, Mode, Operation } from '../base/types.ts'
import { worthTelling } from '../messages/fallbacks.ts'
import { hostAndPort, parseHost } from '../network/hosts.ts'
import type { Changes } from '../sandbox/sandbox.ts'

/** Where a command puts temporary files. */
export interface TemporaryDirectory {
  /** Its TMPDIR, if set and known. */
  readonly directory: string | undefined
  /** TMPDIR is private and writable (`private_tmp`). */
  readonly own: boolean
  /** Where the command ran: files around it are not temporary, even in /tmp. */
  readonly cwd: string
}

/** What workspace mode offers where the command ran. */
export interface WorkspaceOffer {
  /** What it lets commands change; undefined: it is unavailable here. */
  changes(): Changes | undefined
  /** Whether `[workspace] writable` may name a directory. */
  opening(directory: string): Opening
  /** What connects a git directory that lies outside of the workspace with it. */
  repository(path: string): RepositoryRemedy | undefined
  /** The home directories of HOME and of passwd(5), where they differ. */
  homes(): { readonly named: string; readonly passwd: string } | undefined
}

/** What the processes of a command have among themselves. `none`: not offered here. */
export type OwnSockets = 'open' | 'none' | ShutSockets

/** What a hint depends on. */
export interface HintContext {
  readonly mode: Mode
  readonly denials: readonly Denial[]
  readonly networkIsShut: boolean
  /** Undefined: the network is no list of hosts. */
  readonly connections: readonly Connection[] | undefined
  readonly temporary: TemporaryDirectory
  readonly workspace: WorkspaceOffer
  readonly ownSockets: OwnSockets
  /** The command's stderr. */
  readonly errors: string
  /** It exited with 0. */
  readonly succeeded: boolean
  /** One program ran, without a shell around it. */
  readonly single: boolean
}

/** What to say about refusals. Absent after a command that exited with 0 if each refusal is a known fallback. */
export function refusalHint(refused: HintContext): RefusalHint | undefined {
  const { mode, networkIsShut, succeeded } = refused
  const denials = succeeded ? worthTelling(refused.denials, refused) : refused.denials
  if (denials.length === 0) return undefined
  const further = { succeeded: succeeded && { further: denials.length - 1 } }
  const ofNetwork = networkIsShut ? denials.filter(isNetwork) : []
  const forNetwork = ofNetwork.length > 0 ? networkRemedy(ofNetwork, refused) : undefined
  if (forNetwork && ofNetwork.length === denials.length)
    return { mode, about: 'network', named: denials, remedy: forNetwork, ...further }
  const others = denials.filter((denial) => !ofNetwork.includes(denial))
  const about = decisive(others, refused)
  return {
    mode,
    about,
    named: denials.filter((denial) => isSame(denial, about)),
    ...waysFor(about, refused),
    forNetwork,
    ...further,
  }
}

function waysFor(about: Denial, refused: HintContext): Pick<RefusalHint, 'remedy' | 'instead'> {
  const tool = withoutSockets(about, refused.errors)
  // An entry of `[workspace] writable` would not help them: they need sockets.
  if (tool) return { remedy: ownSocketsRemedy(refused) ?? { kind: 'write' }, instead: { kind: tool } }
  const remedy = remedyFor(about, refused)
  if (remedy.kind === 'own-sockets') return { remedy }
  const instead = alternativeTo(about, refused.temporary) ?? homeBehind(about, refused)
  return { remedy, instead }
}

/** Programs that open a unix socket for themselves, and have another way. */
function withoutSockets({ operation, path }: Denial, errors: string): 'tsx' | 'nx' | undefined {
  const isSocket = operation === 'socket' || operation === 'listen'
  if (isSocket && /[\\/]tsx[\\/]dist[\\/]cli\b|[\\/]tsx-\d+[\\/]\d+\.pipe/.test(errors)) return 'tsx'
  const isOfNx = path === undefined ? isSocket : /\/\.nx(\/|$)/.test(path)
  return isOfNx && /\bnx\b/i.test(errors) && /socket/i.test(errors) ? 'nx' : undefined
}

/** ssh and others ask passwd(5) for the home directory, whatever HOME says. */
function homeBehind({ path }: Denial, { workspace }: HintContext): Alternative | undefined {
  const homes = path === undefined ? undefined : workspace.homes()
  const isThere = path !== undefined && homes && isBeneath(path, homes.passwd)
  return isThere && !isBeneath(path, homes.named) ? { kind: 'homes', ...homes } : undefined
}

/** A host that the proxy refused decides; other refusals are of programs that do not use the proxy. */
function networkRemedy(denials: readonly Denial[], context: HintContext): Remedy {
  const { connections, errors, ownSockets } = context
  if (denials.some(({ ownSandbox }) => ownSandbox)) return { kind: 'own-sandbox' }
  const byProxy = connections !== undefined
  const host = denials.find((denial) => denial.host)?.address
  if (host !== undefined) return { kind: 'host', host, reason: reasonFor(host, connections ?? []) }
  const service = ownSockets === 'open' ? denials.find(isService)?.address : undefined
  if (service !== undefined) return { kind: 'service', address: service }
  const opening = serves.test(errors) ? ownSocketsRemedy(context) : undefined
  if (opening) return opening
  if (byProxy && denials.some(({ program }) => program === 'ssh')) return { kind: 'ssh' }
  return { kind: byProxy ? 'proxy' : 'network' }
}

function reasonFor(address: string, connections: readonly Connection[]): Connection['reason'] {
  const found = connections.find(({ host, port, reason }) => {
    const named = reason === undefined ? undefined : parseHost(host)
    return named !== undefined && hostAndPort(named, port) === address
  })
  // Listing an address that is not public is all that it takes.
  return found?.reason === 'not-public' && parseHost(found.host)?.kind === 'address'
    ? 'not-listed'
    : found?.reason
}

/** Two programs may try the same. */
function isSame(one: Denial, other: Denial): boolean {
  return one.operation === other.operation && one.path === other.path && one.address === other.address
}

/** What workspace mode can allow. */
const fileOperations: ReadonlySet<Operation> = new Set([
  'write',
  'create',
  'delete',
  'rename',
  'link',
  'truncate',
  'metadata',
  'lock',
])

function remedyFor(denial: Denial, context: HintContext): Remedy {
  const { mode, workspace, errors } = context
  const { path, operation } = denial
  if (denial.ownSandbox) return { kind: 'own-sandbox' }
  if (denial.protected) return { kind: 'protected', byGit: isGitConfig(path) }
  const opening = isOwn(denial, errors) ? ownSocketsRemedy(context) : undefined
  if (opening) return opening
  if (path === undefined || path.startsWith('/dev/') || !fileOperations.has(operation))
    return { kind: 'write' }
  const changes = workspace.changes()
  const isIn = changes?.roots.some((root) => isBeneath(path, root))
  if (mode === 'read')
    return { kind: changes && isIn && !isKept(denial, path, changes) ? 'workspace' : 'write' }
  return isIn ? { kind: 'write' } : remedyOutside(denial, path, workspace)
}

/** In workspace mode, for a path outside of what it opens. No entry is advised for what programs outside obey. */
function remedyOutside({ program }: Denial, path: string, workspace: WorkspaceOffer): Remedy {
  const repository = workspace.repository(path)
  if (repository) return repository
  if (program === 'git' ? isOfGit(path) : path.includes('.git/')) return { kind: 'repository', how: 'start' }
  const itself = workspace.opening(path)
  if (itself.kind === 'obeyed') return itself
  const directory = cacheAround(path) ?? (path.slice(0, path.lastIndexOf('/')) || '/')
  const opening = workspace.opening(directory)
  if (opening.kind === 'obeyed') return opening
  return opening.kind === 'open' ? { kind: 'writable', directory } : { kind: 'write' }
}

/** A file of a git directory, whatever that is called (gitrepository-layout(5)). */
function isOfGit(path: string): boolean {
  return /\.git(\/|$)|\/(objects|refs|logs|worktrees)(\/|$)|\/([A-Z_]*HEAD|COMMIT_EDITMSG|index|config|packed-refs|shallow)(\.lock)?$/.test(
    path,
  )
}

/** The whole cache: programs write to many of its directories, of which the first refusal names one. */
function cacheAround(path: string): string | undefined {
  return /^.*?\/(_cacache|\.cache\/[^/]+|\.cargo\/registry|\.m2\/repository|go\/pkg\/mod)(?=\/)/.exec(
    path,
  )?.[0]
}

/** Whether workspace mode would refuse it, too. Programs replace a file by way of FILE.lock. */
function isKept({ operation }: Denial, path: string, changes: Changes): boolean {
  const moves = operation === 'rename' || operation === 'delete'
  const file = path.replace(/\.lock$/, '')
  return changes.protected.some((kept) => isBeneath(file, kept) || (moves && isBeneath(kept, path)))
}

function isGitConfig(path: string | undefined): boolean {
  return /\/\.git\/(.*\/)?config(\.worktree)?$/.test(path ?? '')
}

/** The refusal that the command's stderr names, otherwise the first. (What a tool can do without also comes first.) */
function decisive(denials: readonly Denial[], { errors, temporary }: HintContext): Denial {
  const log = denials.find((denial) => databaseOf(denial) !== undefined)
  if (log !== undefined) return log
  const names = [(path: string) => path, (path: string) => path.slice(path.lastIndexOf('/') + 1)]
  for (const name of names) {
    const told = denials.find(({ path }) => path !== undefined && isNamed(name(path), errors))
    if (told !== undefined) return told
  }
  // A program that tries several directories for a temporary file names none of them.
  const place = /temporary/i.test(errors)
    ? denials.find((denial) => isTemporary(denial, temporary))
    : undefined
  return place ?? (denials[0] as Denial)
}

/** An alternative to what was refused, if there is one. */
function alternativeTo(denial: Denial, { own, ...where }: TemporaryDirectory): Alternative | undefined {
  const { operation, program, path } = denial
  const database = databaseOf(denial)
  if (database !== undefined) return { kind: 'sqlite', database }
  if (path?.includes('/__pycache__')) return { kind: 'python' }
  if (program === 'git-lfs') return { kind: 'git-lfs' }
  if (program === 'gpg' && path?.includes('/.#lk')) return { kind: 'gpg' }
  if (isUnixSocket(denial)) return { kind: 'local-services' }
  if (!own && (isTemporary(denial, where) || isCache(denial))) return { kind: 'private-tmp' }
  if (own && isOfNpm(denial)) return { kind: 'npm-cache' }
  if (own && path?.startsWith(`${where.directory}/`))
    return operation === 'rename' ? { kind: 'leaves-tmp' } : undefined
  return isTemporary(denial, where) ? { kind: 'own-tmp' } : undefined
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

/** Its cache, which npm makes first where it is absent. */
function isOfNpm({ path, program }: Denial): boolean {
  return (
    path?.includes('/_cacache/') === true ||
    (/^(npm|npx)\b/.test(program) && /\/\.npm(\/|$)/.test(path ?? ''))
  )
}

/** True for a cache that a private TMPDIR holds, or makes unnecessary (src/request/environment.ts). */
function isCache({ operation, path, program }: Denial): boolean {
  if (path === undefined) return false
  if (program === 'fossil' && operation === 'create' && /\/(\.fossil|fossil\.db)$/.test(path)) return true
  if (/^(npm|npx)\b/.test(program) && /\/\.npm(\/|$)/.test(path)) return true
  if (program === 'cargo' && /\/target[^/]*(\/|$)/.test(path)) return true
  return /\/(_cacache|go-build|\.cargo\/\.[\w-]*cache[\w-]*)(\/|$)/.test(path)
}

/** A socket is refused before it shows what it is for; programs say it. */
const serves = /\blisten(ing)?\b(?! (udp|unixgram))|create_server|socketserver/i

function ownSocketsRemedy({ ownSockets }: HintContext): Remedy | undefined {
  const isShut = ownSockets !== 'open' && ownSockets !== 'none'
  return isShut ? { kind: 'own-sockets', shut: ownSockets } : undefined
}

/** True for a connection to the loopback device. */
function isService({ operation, address }: Denial): boolean {
  return operation === 'connect' && /^(127\.|\[::1\]|\[::ffff:127\.)/.test(address ?? '')
}

/** True for servers, POSIX shared memory and pseudo terminals. A refused `bind` does not tell TCP from UDP, which own sockets leave out. */
function isOwn(denial: Denial, errors: string): boolean {
  if (denial.operation === 'listen' || isUnixSocket(denial)) return serves.test(errors)
  return /^\/dev\/(shm\/|ptmx$|pts\/)/.test(denial.path ?? '')
}

function isUnixSocket({ operation, address }: Denial): boolean {
  if (operation === 'socket') return address === 'unix'
  return operation === 'connect' && /^[/@]/.test(address ?? '')
}

/** True for what network = true allows. Unix sockets stay refused. */
function isNetwork({ operation, address }: Denial): boolean {
  if (operation === 'socket') return address === 'inet' || address === 'inet6'
  return operation === 'connect' && address !== undefined && !/^[/@]/.test(address)
}
