import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecuteRequest, Result, Shell } from '../internal.ts'
import { tooSlow } from '../messages/cli/doctor.ts'
import { isVitrineError } from '../messages/error.ts'
import type { Check, CheckContext, CheckResult } from './check.ts'

/** A command that tries to change something of the host, harmless if it succeeds. */
export interface Attempt extends Pick<Check, 'right' | 'name' | 'settings'> {
  /** Sets up its target in an empty directory. */
  prepare(directory: string): Target | Promise<Target>
}

/** What the attempt would change, and how to detect from outside whether it did. */
export interface Target {
  readonly request: Pick<ExecuteRequest, 'command' | 'argv'>
  touched(result: Result): boolean | Promise<boolean>
  clear?(): void | Promise<void>
}

/** An attempt on `file`, which holds one line. `fingerprint` digests what must not change. */
export function onFiles(
  right: string,
  name: string,
  command: string,
  fingerprint: (directory: string) => string,
): Attempt {
  return {
    right,
    name,
    prepare(directory) {
      makeFile(directory)
      const before = fingerprint(directory)
      return { request: { command }, touched: () => fingerprint(directory) !== before }
    },
  }
}

function makeFile(directory: string): void {
  const file = join(directory, 'file')
  writeFileSync(file, 'as it was\n')
  utimesSync(file, 1_000_000_000, 1_000_000_000)
}

/** An attempt whose effect shows only in its exit code: it changes nothing, and 0 means it was allowed. */
export function exitCodeAttempt(right: string, name: string, command: string): Attempt {
  return { right, name, prepare: () => ({ request: { command }, touched: ({ exitCode }) => exitCode === 0 }) }
}

export function checkOf(attempt: Attempt): Check {
  const { right, name, settings } = attempt
  return { right, name, ...(settings && { settings }), run: (context) => tryBoth(attempt, context) }
}

/** Write mode is the control: an attempt that changes nothing there proves nothing about read mode. */
async function tryBoth(attempt: Attempt, { read, write, directory }: CheckContext): Promise<CheckResult> {
  const control = await tryIn(attempt, write, join(directory, 'write'))
  const trial = await tryIn(attempt, read, join(directory, 'read'))
  if (trial.touched) return { state: 'open', said: trial.said }
  if (!control.touched) return { state: 'untried', said: control.said }
  return { state: trial.ran ? 'enforced' : 'untried', said: trial.said }
}

interface Trial {
  readonly touched: boolean
  readonly ran: boolean
  readonly said: string
}

const timeoutMs = 20_000

async function tryIn(attempt: Attempt, shell: Shell, directory: string): Promise<Trial> {
  mkdirSync(directory)
  const target = await attempt.prepare(directory)
  try {
    const result = await shell.execute({ ...target.request, cwd: directory, timeoutMs })
    const touched = await target.touched(result)
    return result.timedOut
      ? { touched, ran: false, said: tooSlow(timeoutMs) }
      : { touched, ran: true, said: result.stderr }
  } catch (error) {
    if (isVitrineError(error)) return { touched: false, ran: false, said: error.message }
    throw error
  } finally {
    await target.clear?.()
  }
}
