import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { statFields } from '../base/process.ts'
import type { ExecuteRequest, Result, Shell } from '../internal.ts'
import { isVitrineError } from '../messages/error.ts'
import type { CheckSettings, RightState } from './diagnosis.ts'

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
