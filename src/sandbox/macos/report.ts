import { tried } from '../../base/errno.ts'
import type { Denial, Operation } from '../../base/types.ts'

/** What the kernel's sandbox logged about a refused call, and how often it was repeated. */
export interface Report {
  readonly program: string
  readonly pid: number
  /** As the profile names it, such as `file-write-create`. */
  readonly operation: string
  /** A path, socket or service; may be empty. */
  readonly target: string
  readonly times: number
  readonly tag: string
}

/**
 * Parses a line of `log stream --style ndjson`; undefined unless it reports a refusal. The event's message ends
 * with the rule's own message:
 *
 *     Sandbox: touch(4002) deny(1) file-write-create /Users/me/a
 *     TAG
 *
 * or begins with `2 duplicate reports for Sandbox: ...` if a process repeats the call.
 */
export function readReport(line: string): Report | undefined {
  const message = messageOf(line)
  // A path may contain newlines; a program's name may contain blanks and parentheses.
  const found = message?.match(
    /^(?:(\d+) duplicate reports? for )?Sandbox: (.*)\((\d+)\) deny\(\d+\) (\S+)(?: ([\s\S]*))?\n([0-9A-Za-z]+)\s*$/,
  )
  if (!found) return undefined
  const [, times = '1', program = '', pid, operation = '', target = '', tag = ''] = found
  return { program, pid: Number(pid), operation, target, times: Number(times), tag }
}

function messageOf(line: string): string | undefined {
  // Other lines are the log's heading or a truncated last line.
  if (!line.startsWith('{')) return undefined
  const { eventMessage }: { readonly eventMessage?: unknown } = Object(tried(() => JSON.parse(line)))
  return typeof eventMessage === 'string' ? eventMessage : undefined
}

/** Maps profile operations to ours; the first match counts. Refused reads are not reported, as on Linux. */
const operations: readonly (readonly [RegExp, Operation])[] = [
  [/^file-write-create$/, 'create'],
  [/^file-write-unlink$/, 'delete'],
  [/^file-write-data$/, 'write'],
  [/^file-link$/, 'link'],
  [/^file-mknod$/, 'create'],
  [/^file-write-/, 'metadata'],
  [/^file-(un)?mount/, 'mount'],
  [/^network-outbound$/, 'connect'],
  [/^network-/, 'listen'],
  [/^(system-socket|socket-)/, 'socket'],
  [/^(mach-lookup|ipc-)/, 'ipc'],
  [/^signal$/, 'signal'],
  [/^(lsopen|appleevent-send|job-creation|mach-priv|process-)/, 'process'],
  [/^(sysctl-|iokit-|nvram|user-preference-|system-)/, 'system'],
]

/** `undefined` if results do not report this operation. */
export function denialOf({ program, pid, operation, target, times }: Report): Denial | undefined {
  const known = operations.find(([pattern]) => pattern.test(operation))
  if (!known) return undefined
  const where =
    target === '' ? {} : operation.startsWith('file-') ? { path: target } : { address: addressOf(target) }
  return { operation: known[1], ...where, syscall: operation, pid, program, count: times }
}

/** Strips the direction: `remote:*:443`, `local:*:80`. */
function addressOf(target: string): string {
  return target.replace(/^(remote|local):/, '')
}
