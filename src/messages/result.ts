import { hintBehind } from '../base/hint.ts'
import { clipped, visible } from '../base/text.ts'
import type { AnyResult, Background, Denial, Handoff, Listening, Operation, Result } from '../base/types.ts'

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

/** The first five, and the number of the rest. */
function firstOf<T>(all: readonly T[], name: (one: T) => string): string {
  const rest = all.length - maxNamed
  return `${all.slice(0, maxNamed).map(name).join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`
}

/** One line, or none. What listened has ended with its command, as a sandbox lets no process outlive it. */
export function listeningLines(listening: readonly Listening[]): readonly string[] {
  return listening.length === 0 ? [] : [`listened, until it ended, at ${firstOf(listening, nameOf)}`]
}

/** Of a command that runs. */
export function describeListening(listening: readonly Listening[]): string {
  return `listening at ${firstOf(listening, nameOf)}`
}

function nameOf(at: Listening): string {
  return `${listeningAt(at)} (${visible(at.program)}, pid ${at.pid})`
}

export function listeningAt({ address, port }: Listening): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`
}

/** One line, or none: what to look at before a program outside obeys it. */
export function handoffLines(handoffs: readonly Handoff[]): readonly string[] {
  if (handoffs.length === 0) return []
  const named = firstOf(handoffs, ({ path, obeyedBy }) => `${visible(path)} (${obeyedBy})`)
  return [`look before a program outside obeys what is new: ${named}`]
}

/** Processes that a command left. */
export function processes(count: number, one: string, many: string): string {
  return `${count} background ${count === 1 ? `process ${one}` : `processes ${many}`}`
}

/** After a command that may leave none. */
export function survivorsText(count: number): string {
  return `${processes(count, 'was', 'were')} killed when the command ended`
}

/** Processes that live on outside of their command's group, which a signal to the group does not reach. */
export function leftText(left: NonNullable<Background['left']>): string {
  const named = left.map(({ pid, program }) => `${visible(program) || 'a program'} (process ${pid})`)
  return `still running in a session or group of its own: ${named.join(', ')}; to end: kill ${left.map(({ pid }) => pid).join(' ')}`
}

/** A refusal of one command of several; those before it ran, the following ones do not. */
export function refusedOfSeveral(message: string, following: number): string {
  if (following === 0) return message
  return `${message} ${following === 1 ? 'The one' : `The ${following}`} after it did not run either.`
}

/**
 * Which lines of a list failed, and which did not run.
 * @param stopped why the line after the results could not be started
 */
export function listLines(
  lines: readonly string[],
  results: readonly Result[],
  stopped?: string,
): readonly string[] {
  const named = (at: number, what: string) => `line ${at + 1} of ${lines.length} ${what}: ${brief(lines[at])}`
  const failed = results.flatMap((result, at) =>
    isFailure(result) ? [named(at, `failed (${endOf(result)})`)] : [],
  )
  const at = results.length
  const notStarted = stopped === undefined ? [] : [named(at, 'could not be started'), stopped]
  const skipped = lines.slice(at + (stopped === undefined ? 0 : 1))
  const notRun = skipped.length === 0 ? [] : [`not run: ${skipped.map(brief).join('; ')}`]
  return [...failed, ...notStarted, ...notRun]
}

function endOf({ outcome }: Result): string {
  switch (outcome.kind) {
    case 'exited':
      return `exit code ${outcome.code}`
    case 'signalled':
      return outcome.signal
    case 'timed-out':
      return 'timed out'
    case 'cancelled':
      return 'cancelled'
    case 'output-limit':
    case 'limited':
      return 'over a limit'
  }
}

export function isFailure({ outcome }: AnyResult): boolean {
  return outcome.kind !== 'exited' || outcome.code !== 0
}

const maxLineLength = 60

function brief(line = ''): string {
  return clipped(line, maxLineLength)
}

/** `[line 2 of 3: npm test]` precedes the answer to one line of a list. */
export function lineHeader(lines: readonly string[], at: number): string {
  return `[line ${at + 1} of ${lines.length}: ${brief(lines[at])}]`
}
