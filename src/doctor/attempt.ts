import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { statFields } from '../base/process.ts'
import type { Unavailable } from '../base/refusal.ts'
import type { DockerStatus, ExecuteRequest, Flags, HostSupport, Result, Shell } from '../internal.ts'
import { isVitrineError } from '../messages/error.ts'
import type { System, Trap } from './system.ts'

export interface Context {
  /** Program and arguments that start vitrine's command line. */
  readonly program: readonly [string, ...string[]]
  /** Empty, and the attempt's own. */
  readonly directory: string
  readonly env: NodeJS.ProcessEnv
  /** The shell under test: read mode, with the settings of the attempt. */
  readonly read: Shell
  readonly write: Shell
}

export interface Seen {
  readonly state: RightState
  readonly said: string
}

/** Tries to change something of the host, harmless if it succeeds; the effect is observed from outside. */
export interface Attempt {
  readonly name: string
  /** Where the defaults leave nothing to try. */
  readonly settings?: CheckSettings
  run(context: Context): Promise<Seen>
}

/** What one mode runs, and how to see what it did. */
export interface Trial {
  readonly request: Pick<ExecuteRequest, 'command' | 'argv'>
  touched(result: Result): boolean | Promise<boolean>
  /** Whether what the mode allows has worked, too. */
  worked?(result: Result): boolean
  clear?(): void
}

type Prepare = (directory: string, shell: Shell) => Trial | Promise<Trial>

/** Write mode is the control: an attempt that changes nothing there proves nothing about read mode. */
export function attempt(name: string, prepare: Prepare, settings?: CheckSettings): Attempt {
  const run = async ({ read, write, directory }: Context): Promise<Seen> => {
    const control = await tryIn(prepare, write, join(directory, 'write'))
    const trial = await tryIn(prepare, read, join(directory, 'read'))
    if (trial.touched) return { state: 'open', said: trial.said }
    if (trial.ran && !trial.worked) return { state: 'lacking', said: trial.said }
    if (!control.touched) return { state: 'untried', said: control.said }
    return { state: trial.ran ? 'enforced' : 'untried', said: trial.said }
  }
  return { name, run, ...(settings && { settings }) }
}

const timeoutMs = 20_000

async function tryIn(prepare: Prepare, shell: Shell, directory: string) {
  mkdirSync(directory)
  const trial = await prepare(directory, shell)
  try {
    const result = await shell.execute({ ...trial.request, cwd: directory, timeoutMs })
    const [touched, worked] = [await trial.touched(result), trial.worked?.(result) ?? true]
    const said = result.timedOut ? `it did not finish within ${timeoutMs / 1000} s` : result.stderr
    return { touched, worked, ran: !result.timedOut, said }
  } catch (error) {
    if (!isVitrineError(error)) throw error
    return { touched: false, worked: false, ran: false, said: error.message }
  } finally {
    trial.clear?.()
  }
}

/** include/linux/sched.h: set when do_exit begins. */
const PF_EXITING = 0x4

/** Whether it can still act. Since Linux 6.11 an exiting process may outlast its command on a busy machine. */
export function isAlive(pid: number): boolean {
  const { 3: state = 'X', 9: flags } = statFields(pid) ?? []
  return state !== 'Z' && state !== 'X' && (Number(flags) & PF_EXITING) === 0
}

export async function becomes(isSo: () => boolean, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; !isSo(); ) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return true
}

/** The outcome of trying to change something of the host in read mode. */
export type RightState =
  /** It works in write mode and changed nothing in read mode. */
  | 'enforced'
  /** It changed something in read mode. */
  | 'open'
  /** It changes nothing in write mode either, or could not be tried, so it proves nothing. */
  | 'untried'
  /** Not enforced on this system, as `Enforcement` says. */
  | 'lacking'

export type CheckSettings = {
  readonly [K in keyof Flags]?: Exclude<Flags[K], undefined>['value']
}

export interface Finding {
  /** A right of the host, named as in `Enforcement`. */
  readonly right: string
  /** What enforces it; `none` without read mode. */
  readonly by: string
  /** Absent if no attempt would be harmless when it succeeds. */
  readonly attempt?: string
  readonly settings?: CheckSettings
  readonly state: RightState
  /** The attempt's last message: in read mode, or in write mode if it proves nothing. */
  readonly said: string
}

/** Everything that `vitrine doctor` finds; `--json` prints it unchanged. docs/doctor.md describes it. */
export interface Diagnosis extends System {
  /** The format's version. Fields may be added; none is removed or changes its meaning. */
  readonly version: 1
  readonly host: HostSupport
  readonly traps: readonly Trap[]
  /** Why there is no read mode. */
  readonly unavailable?: Unavailable
  readonly rights: readonly Finding[]
  /** Engine, image and containers, if the configuration selects the docker backend. */
  readonly docker?: DockerStatus
  /**
   * `enforced`: all rights that could be tried are. `partly`: this system does not enforce some of them.
   * `not-enforced`: a right that should be enforced is not. `unavailable`: there is no read mode.
   * `untried`: nothing could be tried.
   */
  readonly verdict: 'enforced' | 'partly' | 'not-enforced' | 'unavailable' | 'untried'
}
