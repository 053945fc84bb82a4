import type { RefusalHint, Way } from '../base/hint.ts'
import { isNamed, visible } from '../base/text.ts'
import type { Denial } from '../base/types.ts'
import { startsOneProgram, worthTelling } from '../messages/fallbacks.ts'
import { modeNames } from '../messages/hints.ts'
import { denialText, whatWas } from '../messages/result.ts'
import type { Finished } from './execution.ts'
import { isUnixSocket, networkRemedy, type Refused, type Remedy, readersWays, remedyFor } from './remedy.ts'

/** What to say about refusals. Absent after a command that exited with 0 if each refusal is a known fallback. */
export function refusalHint(refused: Refused): RefusalHint | undefined {
  const { end, setup, succeeded, errors } = refused
  const { work } = refused.execution.request
  const single = work.kind === 'argv' || startsOneProgram(work.line)
  const denials = succeeded ? worthTelling(end.denials, { errors, single }) : end.denials
  if (denials.length === 0) return undefined
  const ofNetwork = setup.enforcement['network']?.enforced ? denials.filter(isNetwork) : []
  const forNetwork = ofNetwork.length > 0 ? networkRemedy(ofNetwork, refused) : undefined
  if (forNetwork && ofNetwork.length === denials.length) {
    const sentence = sentenceOf({ about: forNetwork.about ?? 'the network', remedy: forNetwork }, refused)
    return { sentence, named: denials, told: denials, remedy: forNetwork }
  }
  const others = denials.filter((denial) => !ofNetwork.includes(denial))
  const about = decisive(others, refused)
  const ways = waysFor(about, refused)
  const sentence = sentenceOf({ about, further: denials.length - 1, ...ways, forNetwork }, refused)
  const named = denials.filter((denial) => isSame(denial, about))
  return { sentence, named, told: [about, ...denials.filter((denial) => denial !== about)], ...ways }
}

interface Said {
  /** The refusal, or what of the network was refused. */
  readonly about: Denial | string
  readonly further?: number
  readonly remedy: Way
  readonly instead?: Way | undefined
  /** The network was refused, too: what allows it. */
  readonly forNetwork?: Way | undefined
}

/**
 * One sentence on what to do about refusals. After a command that exited with 0 it is the only sentence about them. A tool's
 * answer names the refusals of a failed command in separate lines.
 */
function sentenceOf(said: Said, { execution, succeeded }: Refused): string {
  const { about, further = 0, remedy, instead, forNetwork } = said
  const { mode, options } = execution
  const also = forNetwork ? ` The network was refused, too: ${forNetwork.text}.` : ''
  const how = `${instead ? `${instead.text}; ` : ''}${remedy.text}.${also}`
  const isUser = (options.hintFor ?? 'user') === 'user'
  if (!isUser && !succeeded) return how.charAt(0).toUpperCase() + how.slice(1)
  const more = succeeded && further > 0 ? ` and ${further} more` : ''
  const rest = `${more}; ${succeeded ? 'the command still exited with 0; ' : ''}${how}`
  if (isUser)
    return `${modeNames[mode]} refuses ${typeof about === 'string' ? about : `to ${whatWas(about)}`}${rest}`
  return `blocked in ${mode} mode: ${typeof about === 'string' ? about : denialText(about)}${rest}`
}

/** Two programs may try the same. */
function isSame(one: Denial, other: Denial): boolean {
  return one.operation === other.operation && one.path === other.path && one.address === other.address
}

/** True for what network = true allows. Unix sockets stay refused. */
function isNetwork({ operation, address }: Denial): boolean {
  if (operation === 'socket') return address === 'inet' || address === 'inet6'
  return operation === 'connect' && address !== undefined && !/^[/@]/.test(address)
}

/** The refusal that the command's stderr names, otherwise the first. */
function decisive(denials: readonly Denial[], refused: Refused): Denial {
  const { errors } = refused
  const log = denials.find((denial) => databaseOf(denial) !== undefined)
  if (log !== undefined) return log
  const names = [(path: string) => path, (path: string) => path.slice(path.lastIndexOf('/') + 1)]
  for (const name of names) {
    const told = denials.find(({ path }) => path !== undefined && isNamed(name(path), errors))
    if (told !== undefined) return told
  }
  // A program that tries several directories for a temporary file names none of them.
  const isPlace = (denial: Denial) => isTemporary(denial, temporaryOf(refused))
  const place = /temporary/i.test(errors) ? denials.find(isPlace) : undefined
  return place ?? (denials[0] as Denial)
}

function waysFor(
  about: Denial,
  refused: Refused,
): { readonly remedy: Remedy; readonly instead?: Way | undefined } {
  const remedy = remedyFor(about, refused)
  return remedy.kind === 'own-sockets' ? { remedy } : { remedy, instead: alternativeTo(about, refused) }
}

const alternatives = {
  python: 'python3 -m ast FILE checks the syntax without writing a file',
  'git-lfs': 'to compare without Git LFS, run git with -c filter.lfs.process= -c filter.lfs.required=false',
  gpg: 'gpg --lock-never reads keyrings without locks',
  'local-services': 'services of this machine (Docker, D-Bus, ssh-agent, tmux) are out of reach',
  'npm-cache': 'set npm_config_cache=$TMPDIR/npm to give npm a writable cache',
  'leaves-tmp': 'files cannot leave $TMPDIR, which is removed after the command',
  'own-tmp': 'the command can write temporary files to its private $TMPDIR',
} as const

function known(kind: keyof typeof alternatives): Way {
  return { kind, text: alternatives[kind] }
}

/** An alternative to what was refused, if there is one. */
function alternativeTo(denial: Denial, refused: Refused): Way | undefined {
  const { operation, program, path } = denial
  const { own, ...where } = temporaryOf(refused)
  const database = databaseOf(denial)
  if (database !== undefined) {
    const text = `SQLite opens a WAL database without its log as 'file:${visible(database)}?immutable=1'`
    return { kind: 'sqlite', text }
  }
  if (path?.includes('/__pycache__')) return known('python')
  if (program === 'git-lfs') return known('git-lfs')
  if (program === 'gpg' && path?.includes('/.#lk')) return known('gpg')
  if (isUnixSocket(denial)) return known('local-services')
  if (!own && (isTemporary(denial, where) || isCache(denial))) {
    const { privateTmp } = readersWays(refused)
    return { kind: 'private-tmp', text: `for temporary files and caches, ${privateTmp}` }
  }
  if (own && isOfNpm(denial)) return known('npm-cache')
  const isInOwn = own && path?.startsWith(`${where.directory}/`)
  if (isInOwn && operation === 'rename') return known('leaves-tmp')
  return !isInOwn && isTemporary(denial, where) ? known('own-tmp') : undefined
}

/** The database whose log or shared memory SQLite tried to create (sqlite.org/wal.html, "Read-Only Databases"). */
function databaseOf({ operation, path }: Denial): string | undefined {
  return operation === 'create' ? /^(.*)-(wal|shm)$/.exec(path ?? '')?.[1] : undefined
}

/** Where a command puts temporary files. */
interface TemporaryDirectory {
  /** Its TMPDIR, if set and known. */
  readonly directory: string | undefined
  /** TMPDIR is private and writable (`private_tmp`). */
  readonly own: boolean
  /** Where the command ran: files around it are not temporary, even in /tmp. */
  readonly cwd: string
}

/** A container makes its command's private directory itself, under a name that is not known here. */
function temporaryOf({ execution, setup }: Finished): TemporaryDirectory {
  const own = setup.enforcement['private tmp'] !== undefined
  const directory = own && !setup.privateTmp ? undefined : setup.environment()['TMPDIR']
  return { own, directory, cwd: execution.request.cwd }
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
function isOfNpm({ path = '', program }: Denial): boolean {
  return path.includes('/_cacache/') || (/^(npm|npx)\b/.test(program) && /\/\.npm(\/|$)/.test(path))
}

/** True for a cache that a private TMPDIR holds, or makes unnecessary (src/request/environment.ts). */
function isCache(denial: Denial): boolean {
  const { operation, path = '', program } = denial
  if (program === 'fossil' && operation === 'create' && /\/(\.fossil|fossil\.db)$/.test(path)) return true
  if (program === 'cargo' && /\/target[^/]*(\/|$)/.test(path)) return true
  return isOfNpm(denial) || /\/(_cacache|go-build|\.cargo\/\.[\w-]*cache[\w-]*)(\/|$)/.test(path)
}
