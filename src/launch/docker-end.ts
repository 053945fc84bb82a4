import { constants } from 'node:os'
import { errorText } from '../base/errno.ts'
import { words } from '../base/text.ts'
import { insideEnded } from '../messages/docker.ts'
import { isVitrineError } from '../messages/error.ts'
import type { ExecEnd } from '../sandbox/docker/exec.ts'
import type { InsideOutput } from './docker-inside.ts'
import type { ProcessEnd } from './launch.ts'

export function neverRan(error: unknown): ProcessEnd {
  if (isVitrineError(error))
    return { kind: 'failed', step: 'container', errno: error.code, refusal: error.refusal }
  return { kind: 'failed', step: 'container', errno: errorText(error) }
}

interface Circumstances {
  readonly killed: number
  readonly stopped: NodeJS.Signals | undefined
  /** The container's memory in bytes, if the kernel killed a process because it ran out. */
  readonly usedUp: number | undefined
}

/** The engine's report as our outcome. A command that we ended has not succeeded, even with exit code 0. */
export function containerProcessEnd(ended: ExecEnd, { killed, stopped, usedUp }: Circumstances): ProcessEnd {
  switch (ended.kind) {
    case 'never':
      // Killed while it was joining the container: the runtime reports that as a failed start.
      return stopped ? killedBy(stopped) : { kind: 'failed', ...failureIn(ended.said) }
    case 'lost':
      return stopped ? killedBy(stopped) : { ...killedBy('SIGKILL'), lost: ended.said }
    case 'exited': {
      if (stopped && ended.code === 0) return killedBy(stopped)
      const survivors = { killed, alive: 0, group: 0 }
      const isLimited = usedUp !== undefined && ended.code !== 0 && !stopped
      const limit = isLimited ? ({ limited: 'memory', containerMemory: usedUp } as const) : {}
      const ran = { survivors, denials: [], ...limit }
      const signal = signalOf(ended.code)
      return signal ? { kind: 'signalled', signal, ...ran } : { kind: 'exited', code: ended.code, ...ran }
    }
  }
}

/** The end that vitrine's part inside reports. Without a report the command may have run: the outcome is unknown. */
export function insideProcessEnd(
  ended: ExecEnd,
  { end, said }: Pick<InsideOutput, 'end' | 'said'>,
  circumstances: Circumstances,
): ProcessEnd {
  const { killed, stopped, usedUp } = circumstances
  if (ended.kind !== 'exited') return containerProcessEnd(ended, circumstances)
  if (end?.kind === 'failed') return end
  const limit =
    usedUp === undefined || stopped ? {} : ({ limited: 'memory', containerMemory: usedUp } as const)
  if (!end)
    return stopped || usedUp !== undefined
      ? { ...killedBy(stopped ?? 'SIGKILL'), ...limit }
      : { ...killedBy('SIGKILL'), lost: insideEnded(ended.code, said) }
  const succeeded = end.kind === 'exited' && end.code === 0
  if (stopped && succeeded) return killedBy(stopped)
  // The process inside has no deadline: the one that counts is outside.
  const { timedOut: _, ...told } = end
  const survivors = { ...end.survivors, killed: end.survivors.killed + killed }
  return { ...told, survivors, ...(succeeded ? {} : limit) }
}

export function killedBy(signal: NodeJS.Signals): Extract<ProcessEnd, { kind: 'signalled' }> {
  return { kind: 'signalled', signal, survivors: { killed: 0, alive: 0, group: 0 }, denials: [] }
}

/** The engine exits with 126 for everything that did not start; its message says why. */
function failureIn(said: string): { readonly step: string; readonly errno: string } {
  if (/chdir to cwd/.test(said)) return { step: 'chdir', errno: 'ENOENT' }
  if (/executable file not found|no such file or directory/i.test(said))
    return { step: 'exec', errno: 'ENOENT' }
  if (/exec format error/i.test(said)) return { step: 'exec', errno: 'ENOEXEC' }
  if (/permission denied|is a directory/i.test(said)) return { step: 'exec', errno: 'EACCES' }
  return { step: 'container', errno: said.trim() }
}

/** Signals that end a process unless it handles them (signal(7)): exit code 128+n stands for them. */
const fatal = words(`
  SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE
  SIGALRM SIGTERM SIGXCPU SIGXFSZ SIGSYS`) as NodeJS.Signals[]

/** A program that exits with 128+n itself means the same, by convention. */
function signalOf(code: number): NodeJS.Signals | undefined {
  return fatal.find((name) => constants.signals[name] === code - 128)
}

export function endsByDefault(name: NodeJS.Signals): boolean {
  return fatal.includes(name)
}
