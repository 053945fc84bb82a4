import { lstatSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { tried } from '../base/errno.ts'
import type { Opening, Way } from '../base/hint.ts'
import { protectedNameAt } from '../base/obeyed-names.ts'
import { isBeneath } from '../base/paths.ts'
import { visible } from '../base/text.ts'
import type { Connection, ConnectionReason, Denial } from '../base/types.ts'
import { openingOf } from '../host/workspace.ts'
import { remedies, type Ways } from '../messages/hints.ts'
import { hostAndPort, parseHost } from '../network/hosts.ts'
import type { Changes } from '../sandbox/sandbox.ts'
import { repositoryRemedy } from '../sandbox/workspace/git-directories.ts'
import type { Finished } from './execution.ts'

/** A command that was refused something. */
export interface Refused extends Finished {
  /** Its stderr. */
  readonly errors: string
  /** It exited with 0. */
  readonly succeeded: boolean
}

/** What allows what was refused. `about`: the network, or the part of it. */
export interface Remedy extends Way {
  readonly about?: string
}

/** What the reader of the hint can do. */
export function readersWays({ execution }: Finished): Ways {
  return remedies[execution.options.hintFor ?? 'user']
}

/** For a change that is intended; `why` it is refused in words of its own. */
function way(kind: string, how: string, why?: string): Remedy {
  return {
    kind,
    text: why === undefined ? `if this is intended, ${how}` : `${why}. If this is intended, ${how}`,
  }
}

/** Of a program that has narrowed its own rights: the notifier does not act for it. */
const ownSandbox = way(
  'own-sandbox',
  'run it without its own sandbox: vitrine confines it all the same',
  'the program has narrowed its own rights (Landlock, capabilities), so vitrine does nothing for it that these may forbid',
)

/** What workspace mode can allow. */
const fileOperations = /^(write|create|delete|rename|link|truncate|metadata|lock)$/

export function remedyFor(denial: Denial, refused: Refused): Remedy {
  const { mode, context } = refused.execution
  const { path, operation } = denial
  const ways = readersWays(refused)
  const write = way('write', ways.write)
  if (denial.ownSandbox) return ownSandbox
  if (denial.protected) return absentRemedy(denial, refused) ?? protectedRemedy(path, ways)
  const opening = isOwn(denial, refused.errors) ? ownSocketsRemedy(refused) : undefined
  if (opening) return opening
  if (path === undefined || path.startsWith('/dev/') || !fileOperations.test(operation)) return write
  const changes = context.setups.changes()
  const isIn = changes?.roots.some((root) => isBeneath(path, root))
  if (mode === 'read')
    return changes && isIn && !isKept(denial, path, changes) ? way('workspace', ways.workspace) : write
  return isIn ? write : remedyOutside(denial, path, refused)
}

function protectedRemedy(path: string | undefined, { write }: Ways): Remedy {
  if (!/\/\.git\/(.*\/)?config(\.worktree)?$/.test(path ?? ''))
    return way(
      'protected',
      write,
      'workspace mode protects this path: programs outside the sandbox obey or run it, or it must not be read',
    )
  const why = 'workspace mode protects this file, because git outside the sandbox obeys it'
  return { kind: 'protected', text: `${why}. For "git config" and "git remote add", ${write}` }
}

/** For a protected name at the top of the workspace that is not there: commands may make it if the user lists it. */
function absentRemedy({ path, program }: Denial, refused: Refused): Remedy | undefined {
  const { setups, config } = refused.execution.context
  const root = setups.changes()?.roots[0]
  if (path === undefined || root === undefined || !isBeneath(path, root)) return undefined
  const name = protectedNameAt(relative(root, path))
  if (name === undefined || tried(() => lstatSync(join(root, name)))) return undefined
  if (config.workspace.protected.some((listed) => resolve(root, listed) === join(root, name)))
    return undefined
  const { set, write } = readersWays(refused)
  const rest = program === 'git' ? `; "git checkout HEAD -- . ':!${name}'" gets the rest` : ''
  const how = `${set(`add "${name}" to [workspace] new`, ' in your own configuration')}, or ${write}`
  return way(
    'new',
    how,
    `workspace mode lets no command make ${name}, which programs outside the sandbox obey${rest}`,
  )
}

/** In workspace mode, for a path outside of what it opens. No entry is advised for what programs outside obey. */
function remedyOutside({ program }: Denial, path: string, refused: Refused): Remedy {
  const ways = readersWays(refused)
  const repository = repositoryBehind(path, program, refused)
  if (repository) return repository
  const directory = cacheAround(path) ?? (path.slice(0, path.lastIndexOf('/')) || '/')
  for (const place of [path, directory]) {
    const opening = openingAt(place, refused)
    if (opening.kind === 'obeyed') {
      const why = `programs outside the sandbox obey what is in ${visible(opening.place)} (${opening.by}), so no setting opens it`
      return way('obeyed', ways.write, why)
    }
    if (place === directory && opening.kind === 'open')
      return way(
        'writable',
        `${ways.set(`add ${visible(directory)} to [workspace] writable`, '')}, or ${ways.write}`,
      )
  }
  return way('write', ways.write)
}

/** A container shows no directory outside of the workspace that could become writable. */
function openingAt(place: string, { execution }: Refused): Opening {
  const { config, env } = execution.context
  return config.shell.backend === 'docker' ? { kind: 'shut' } : openingOf(place, env)
}

/** What opens a git directory without an entry: what makes it name the work tree, or starting in its repository. */
function repositoryBehind(path: string, program: string, refused: Refused): Remedy | undefined {
  const found = repositoryRemedy(path, refused.execution.context.setups.changes()?.roots[0])
  const { outside, write } = readersWays(refused)
  const kind = 'repository'
  if (found) {
    const tree = visible(found.tree)
    const quoted = `'${tree.replaceAll("'", "'\\''")}'`
    const text =
      found.how === 'repair'
        ? `the worktree has moved, and its repository still names the old place; ${outside(`"git worktree repair" in ${tree}`)}`
        : `the git directory lies outside the workspace and does not name it as its work tree; ${outside(`git -C ${quoted} config core.worktree ${quoted}`)}`
    return { kind, text }
  }
  if (program === 'git' ? !isOfGit(path) : !path.includes('.git/')) return undefined
  const text = `this belongs to a git repository outside the workspace; start vitrine in that repository, or ${write}`
  return { kind, text }
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

/** A host that the proxy refused decides; other refusals are of programs that do not use the proxy. */
export function networkRemedy(denials: readonly Denial[], refused: Refused): Remedy {
  const { connections, errors } = refused
  const ways = readersWays(refused)
  if (denials.some((denial) => denial.ownSandbox)) return ownSandbox
  const host = denials.find((denial) => denial.host)?.address
  if (host !== undefined) return hostRemedy(host, connections ?? [], ways)
  const service = hasOwnSockets(refused) ? denials.find(isService)?.address : undefined
  if (service !== undefined) return serviceRemedy(service, ways)
  const opening = serves.test(errors) ? ownSocketsRemedy(refused) : undefined
  if (opening) return opening
  if (!connections) return way('network', ways.network)
  return denials.some(({ program }) => program === 'ssh') ? way('ssh', sshByProxy) : way('proxy', byProxy)
}

const byProxy =
  'use a program that connects by the proxy in HTTP_PROXY or ALL_PROXY, the only way to the listed hosts'

const sshByProxy =
  'use an https address, or set GIT_SSH_COMMAND to an ssh whose ProxyCommand connects by the proxy (docs/network.md)'

/** For a host that the list names, so that naming it would change nothing. */
function hostRemedy(host: string, connections: readonly Connection[], { set, ...ways }: Ways): Remedy {
  const about = visible(host)
  switch (reasonFor(host, connections)) {
    case 'denied':
      return { ...way('host', set('take it out of [network] deny', '')), about }
    case 'not-public': {
      const why = 'because that address is not public'
      return {
        ...way('host', set(`list the address that it leads to as well, with its port, ${why}`, '')),
        about,
      }
    }
    case 'too-many':
      return { ...way('host', 'split the work over several commands'), about }
    default:
      return { ...way('host', ways.host(host)), about }
  }
}

function reasonFor(address: string, connections: readonly Connection[]): ConnectionReason | undefined {
  const found = connections.find(({ host, port, reason }) => {
    const named = reason === undefined ? undefined : parseHost(host)
    return named !== undefined && hostAndPort(named, port) === address
  })
  // Listing an address that is not public is all that it takes.
  const isListable = found?.reason === 'not-public' && parseHost(found.host)?.kind === 'address'
  return isListable ? 'not-listed' : found?.reason
}

/** Another process of this machine listens there. */
function serviceRemedy(address: string, { service }: Ways): Remedy {
  const why = 'on this machine, commands reach only servers of their own shell'
  return { ...way('service', service(address), why), about: `connections to ${visible(address)}` }
}

/** True for a connection to the loopback device. */
function isService({ operation, address }: Denial): boolean {
  return operation === 'connect' && /^(127\.|\[::1\]|\[::ffff:127\.)/.test(address ?? '')
}

/** A socket is refused before it shows what it is for; programs say it. */
const serves = /\blisten(ing)?\b(?! (udp|unixgram))|create_server|socketserver/i

function hasOwnSockets({ setup }: Finished): boolean {
  return setup.enforcement['own sockets']?.by === 'seccomp listener'
}

/**
 * What lets a command have sockets, shared memory or terminals among its own processes. Undefined where it has them, or where they are not
 * offered: only Linux does, and a container has its own launcher.
 */
function ownSocketsRemedy(refused: Refused): Remedy | undefined {
  const { enforcement, confinement } = refused.setup
  const ways = readersWays(refused)
  const right = enforcement['own sockets']
  if (hasOwnSockets(refused) || (!right && confinement?.kind !== 'landlock')) return undefined
  const setting = refused.execution.context.config.shell.own_sockets ? ways.privateTmp : ways.ownSockets
  const how = right ? `${ways.write}; own sockets are ${right.note ?? 'not there'}` : setting
  return { ...way('own-sockets', how), about: 'sockets among the processes of a command' }
}

/** True for servers, POSIX shared memory and pseudo terminals. A refused `bind` does not tell TCP from UDP, which own sockets leave out. */
function isOwn(denial: Denial, errors: string): boolean {
  if (denial.operation === 'listen' || isUnixSocket(denial)) return serves.test(errors)
  return /^\/dev\/(shm\/|ptmx$|pts\/)/.test(denial.path ?? '')
}

export function isUnixSocket({ operation, address }: Denial): boolean {
  if (operation === 'socket') return address === 'unix'
  return operation === 'connect' && /^[/@]/.test(address ?? '')
}
