import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { machine, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Enforcement, hostSupport, openShell, type Shell, VitrineError } from '../index.ts'
import { tooSlow } from '../result/explain-doctor.ts'
import type { Attempt } from './attempt.ts'
import type { Diagnosis, Finding } from './diagnosis.ts'
import { fileAttempts } from './files.ts'
import { kernelAttempts } from './kernel.ts'
import { type Outside, outsideChecks } from './outside.ts'
import { processAttempts } from './processes.ts'
import { socketAttempts } from './sockets.ts'

const attempts: readonly Attempt[] = [
  ...fileAttempts,
  ...socketAttempts,
  ...processAttempts,
  ...kernelAttempts,
]
const timeoutMs = 20_000

/**
 * Tries every right of the host in a throw-away directory, in write mode and in read mode. `program` starts vitrine's
 * command line.
 */
export async function diagnose(program: Outside['program']): Promise<Diagnosis> {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-doctor-'))
  try {
    return await diagnoseIn({ program, directory, env: ownEnvironment(directory) })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The host is looked at, not the user's configuration of it. */
function ownEnvironment(directory: string): NodeJS.ProcessEnv {
  const named = Object.entries(process.env).filter(([name]) => !name.startsWith('VITRINE_'))
  return { ...Object.fromEntries(named), XDG_CONFIG_HOME: directory, XDG_STATE_HOME: directory }
}

async function diagnoseIn(outside: Outside): Promise<Diagnosis> {
  const user = process.getuid?.() === 0 ? ('root' as const) : ('ordinary' as const)
  const facts = { kernel: release(), architecture: machine(), user }
  const read = await openReadMode(outside)
  if (read instanceof VitrineError) {
    if (read.refusal.code !== 'SANDBOX_UNAVAILABLE') throw read
    return { ...facts, host: hostSupport(), unavailable: read.refusal, rights: [], verdict: 'unavailable' }
  }
  const rights = await findings(read, outside)
  const isOpen = rights.some(({ state }) => state === 'open')
  return { ...facts, host: hostSupport(), rights, verdict: isOpen ? 'not-enforced' : 'enforced' }
}

async function openReadMode({ directory, env }: Outside): Promise<Shell | VitrineError> {
  try {
    return await openShell({ cwd: directory, env, mode: 'read' })
  } catch (error) {
    if (error instanceof VitrineError) return error
    throw error
  }
}

/** Tries everything; `read` is the shell that should hold. */
export async function findings(read: Shell, outside: Outside): Promise<Finding[]> {
  const { directory, env } = outside
  const write = await openShell({ cwd: directory, env, mode: 'write' })
  const enforcement = read.enforcement
  const by = (right: string) => enforcement[right]?.by ?? 'none'
  const found: Finding[] = []
  for (const [index, attempt] of attempts.entries()) {
    const { right, name } = attempt
    const tried = await tryBoth(attempt, read, write, join(directory, String(index)))
    found.push({ right, by: by(right), attempt: name, ...tried })
  }
  for (const { right, name, run } of outsideChecks)
    found.push({ right, by: by(right), attempt: name, ...(await run(outside)) })
  await write.close()
  const order = Object.keys(enforcement)
  return [...found, ...withoutAttempt(enforcement, found)]
    .map((finding) => ({ ...finding, said: gist(finding.said) }))
    .sort((a, b) => order.indexOf(a.right) - order.indexOf(b.right))
}

/** What is held, and cannot be tried without harm. */
function withoutAttempt(enforcement: Enforcement, found: readonly Finding[]): Finding[] {
  const tried = new Set(found.map(({ right }) => right))
  return Object.entries(enforcement)
    .filter(([right, { enforced }]) => enforced && !tried.has(right))
    .map(([right, { by }]) => ({ right, by, state: 'untried', said: '' }))
}

/** First in write mode: what changes nothing there proves nothing in read mode, and neither does what never ran to its end. */
async function tryBoth(
  attempt: Attempt,
  read: Shell,
  write: Shell,
  directory: string,
): Promise<Pick<Finding, 'state' | 'said'>> {
  const control = await tryIn(attempt, write, `${directory}-write`)
  const trial = await tryIn(attempt, read, `${directory}-read`)
  if (trial.touched) return { state: 'open', said: trial.said }
  if (!control.touched) return { state: 'untried', said: control.said }
  return { state: trial.ran ? 'enforced' : 'untried', said: trial.said }
}

interface Trial {
  readonly touched: boolean
  /** To its own end. */
  readonly ran: boolean
  readonly said: string
}

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
    if (error instanceof VitrineError) return { touched: false, ran: false, said: error.message }
    throw error
  } finally {
    await target.clear?.()
  }
}

const reason = /\bE[A-Z]{3,}\b|[Dd]enied|[Nn]ot (permitted|found|implemented)|[Rr]ead-only|[Ii]nvalid/

/** The line that tells why; a program that ends with a stack trace says it in the middle. */
function gist(said: string): string {
  const lines = said.split('\n').map((line) => line.trim())
  const filled = lines.filter((line) => line !== '')
  return filled.find((line) => reason.test(line)) ?? filled.at(-1) ?? ''
}
