import { hintBehind } from '../base/hint.ts'
import { visible } from '../base/text.ts'
import type { AnyResult, Denial, Handoff, Listening, Operation } from '../base/types.ts'

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

export function attemptsIn(denials: readonly Denial[]): number {
  return denials.reduce((sum, { count }) => sum + count, 0)
}

/** As it follows "refuses to". */
export function whatWas({ operation, path, address }: Denial): string {
  if (operation === 'socket' && address === 'unix') return 'open a unix socket'
  if (operation === 'socket' && address === 'multicast group') return 'join a multicast group'
  if (operation === 'socket' && address?.startsWith('option ')) return `set ${address} of a socket`
  const target = path ?? address
  const [withTarget, alone] = verbs[operation]
  return target === undefined ? alone : `${withTarget} ${visible(target)}`
}

/** A refusal as a tool's answer names it: `write src/a.ts`. */
export function denialText({ operation, path, address }: Denial): string {
  return visible([operation, path ?? address].filter((part) => part !== undefined).join(' '))
}

/** The refusals to list: after a command that exited with 0 the hint alone tells of them. */
export function denialsToList({
  denials,
  outcome,
}: Pick<AnyResult, 'denials' | 'outcome'>): readonly Denial[] {
  return outcome.kind === 'exited' && outcome.code === 0 ? [] : denials
}

/** Those of them that the hint for a user does not name. */
export function denialsBeside(result: Pick<AnyResult, 'denials' | 'outcome'>): readonly Denial[] {
  const named = hintBehind(result)?.named ?? []
  return denialsToList(result).filter((denial) => !named.includes(denial))
}

const maxNamed = 5

/** One line, or none. What listened has ended with its command, as a sandbox lets no process outlive it. */
export function listeningLines(listening: readonly Listening[]): readonly string[] {
  if (listening.length === 0) return []
  const named = listening.slice(0, maxNamed).map(({ address, port, pid, program }) => {
    return `${address.includes(':') ? `[${address}]` : address}:${port} (${visible(program)}, pid ${pid})`
  })
  const rest = listening.length - named.length
  const more = rest === 0 ? '' : `, and ${rest} more`
  return [`listened, until it ended, at ${named.join(', ')}${more}`]
}

/** One line, or none: what to look at before a program outside obeys it. */
export function handoffLines(handoffs: readonly Handoff[]): readonly string[] {
  if (handoffs.length === 0) return []
  const named = handoffs.slice(0, maxNamed).map(({ path, obeyedBy }) => `${visible(path)} (${obeyedBy})`)
  const rest = handoffs.length - named.length
  const more = rest === 0 ? '' : `, and ${rest} more`
  return [`look before a program outside obeys what is new: ${named.join(', ')}${more}`]
}
