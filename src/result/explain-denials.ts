import type { Denial, Operation } from './result.ts'
import { visible } from './visible.ts'

const mostLines = 5

/** What each operation would have done, to stand after "refused to" and before its target. */
const verbs: Readonly<Record<Operation, string>> = {
  write: 'write',
  create: 'create',
  delete: 'delete',
  rename: 'rename',
  link: 'link',
  truncate: 'truncate',
  metadata: 'change the metadata of',
  device: 'use the device',
  lock: 'lock',
  connect: 'connect to',
  socket: 'open a socket:',
  listen: 'listen at',
  ipc: 'use IPC',
  key: 'use keyrings',
  signal: 'signal',
  process: 'reach into another process:',
  namespace: 'enter a namespace',
  mount: 'change mounts',
  system: 'change the system',
  other: 'do more of that',
}

/** The first refusals of a command, a line each; past five they are only counted. */
export function denialLines(denials: readonly Denial[]): readonly string[] {
  const lines = denials.slice(0, mostLines).map((denial) => {
    const times = denial.count > 1 ? `, ${denial.count} times` : ''
    return `refused to ${whatWas(denial)} (${visible(denial.program) || 'a program'}${times})`
  })
  const rest = denials.length - lines.length
  return rest === 0 ? lines : [...lines, `refused ${rest} more`]
}

function whatWas({ operation, path, address }: Denial): string {
  const target = path ?? address
  return target === undefined ? verbs[operation].replace(/:$/, '') : `${verbs[operation]} ${visible(target)}`
}

/** Where a command may look for a place of temporary files. */
export interface Temporary {
  /** Its TMPDIR, where it has one. */
  readonly directory: string | undefined
  /** That one is its own, and can be written to (`private_tmp`). */
  readonly own: boolean
  /** Where the command runs: what lies beneath is its work, wherever that is. */
  readonly cwd: string
}

/** One sentence on what to do about refusals. */
export function denialHint(
  denials: readonly Denial[],
  networkIsShut: boolean,
  temporary: Temporary,
): string | undefined {
  const [first] = denials
  if (first === undefined) return undefined
  if (networkIsShut && denials.every(isNetwork))
    return 'Read mode refuses the network; if this is meant, set network = true (--network), or run the command in write mode.'
  const files = denials.filter((denial) => !(networkIsShut && isNetwork(denial)))
  const also = files.length < denials.length ? ' For the network alone, set network = true.' : ''
  const instead = files.every((denial) => isTemporary(denial, temporary)) ? insteadOfWriting(temporary) : ''
  return `Read mode refuses to ${whatWas(first)}; ${instead}if this is meant, run the command in write mode.${also}`
}

function insteadOfWriting({ own }: Temporary): string {
  if (own) return 'temporary files can be written to $TMPDIR, which is its own; '
  return 'for temporary files set private_tmp = true (--private-tmp); '
}

function isTemporary({ path }: Denial, { directory, cwd }: Temporary): boolean {
  const places = ['/tmp', '/var/tmp', ...(directory ? [directory.replace(/\/+$/, '')] : [])]
  if (path === undefined || (!places.includes(cwd) && path.startsWith(`${cwd}/`))) return false
  return places.some((place) => place !== '' && path.startsWith(`${place}/`))
}

/** What network = true would let through. Unix sockets stay shut. */
function isNetwork({ operation, address }: Denial): boolean {
  if (operation === 'socket') return address === 'inet' || address === 'inet6'
  return operation === 'connect' && address !== undefined && !/^[/@]/.test(address)
}
