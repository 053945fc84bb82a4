import { codedError, errorText, succeeds } from '../../base/errno.ts'
import { quoted } from '../../base/text.ts'
import {
  type Approver,
  absolutePath,
  type BackgroundCommand,
  type ExecuteRequest,
  openShell,
  type Result,
  type Shell,
} from '../../internal.ts'
import { isVitrineError } from '../../messages/error.ts'
import { misuse } from '../arguments.ts'
import { checkSandboxed, sayIgnored, shellOptions } from '../configuration.ts'
import { lostOutput, Sink } from '../output.ts'
import { type RunArguments, readRunArguments } from '../run/request.ts'
import { afterLines } from '../run/result.ts'
import { isAlive, type Job, keyOf, makeJob, type ProcessKey, removeJob, writeJob } from './job.ts'
import type { FromHost, ToHost } from './start.ts'

/** How often it looks whether its owner lives, and where its command listens. */
const everyMs = 500

/** The process that `vitrine run --background` leaves: it runs one command to its end. */
export async function main(): Promise<number> {
  if (!process.send)
    throw misuse('"vitrine background-host" is for vitrine itself; use "vitrine run --background".')
  const { args, owner } = await started()
  try {
    await run(readRunArguments(args), owner)
  } catch (error) {
    tell(
      isVitrineError(error)
        ? { kind: 'refused', refusal: error.refusal }
        : { kind: 'broken', stack: stackOf(error) },
    )
  }
  return 0
}

function started(): Promise<Extract<ToHost, { kind: 'start' }>> {
  return new Promise((resolve) => {
    process.once('message', (message: ToHost) => message.kind === 'start' && resolve(message))
  })
}

function tell(message: FromHost): void {
  if (process.connected) process.send?.(message)
}

function stackOf(error: unknown): string {
  return Object(error).stack ?? errorText(error)
}

async function run(given: RunArguments, owner: ProcessKey): Promise<void> {
  const shell = await openShell({
    ...(await shellOptions(given.options)),
    approver: given.ask ? askingParent : undefined,
  })
  checkSandboxed([shell.mode], given.options, shell.config.shell.backend)
  await sayIgnored(shell)
  const { id, fd } = makeJob()
  let isTold = false
  try {
    const output = new Sink(fd)
    const command = await begin(shell, given.requests[0] ?? {}, output)
    const job = jobOf(id, shell, given.requests[0] ?? {}, owner)
    writeJob(job)
    tell({ kind: 'started', id })
    isTold = true
    if (process.connected) process.disconnect()
    const result = await follow(command, { job, owner, output })
    await output.write('')
    const lost = output.broken === undefined ? [] : [lostOutput(output.broken, true)]
    const ended = { state: endOf(result), lines: [...lost, ...afterLines(result)], atMs: Date.now() }
    writeJob({ ...job, ended })
  } catch (error) {
    if (!isTold) removeJob(id)
    throw error
  } finally {
    await shell.close()
  }
}

async function begin(shell: Shell, request: ExecuteRequest, output: Sink): Promise<BackgroundCommand> {
  // Where the process that waits for the start goes away.
  const early = new AbortController()
  const leave = () => early.abort()
  process.once('disconnect', leave)
  const command = await shell.background(request, {
    signal: early.signal,
    save: request.scratchpad !== undefined,
    onOutput: (_, chunk) => output.write(chunk),
  })
  process.off('disconnect', leave)
  return command
}

function jobOf(
  id: string,
  shell: Shell,
  { command, argv = [], cwd }: ExecuteRequest,
  owner: ProcessKey,
): Job {
  return {
    id,
    command: command ?? argv.map(quoted).join(' '),
    cwd: absolutePath(cwd ?? shell.cwd),
    mode: shell.mode,
    host: keyOf(process.pid) ?? owner,
    owner: owner.pid,
    startedMs: Date.now(),
    listening: [],
  }
}

interface Followed {
  readonly job: Job
  readonly owner: ProcessKey
  readonly output: Sink
}

/** Stops it on a signal, when the owner has ended, and when its output cannot be kept. */
async function follow(command: BackgroundCommand, { job, owner, output }: Followed): Promise<Result> {
  const stop = () => void command.stop()
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, stop)
  output.onBroken = stop
  let told = 0
  const look = () => {
    const { listening } = command
    // Where the disk is full, again later.
    if (listening.length > told && succeeds(() => writeJob({ ...job, listening }))) told = listening.length
    if (output.broken !== undefined || !isAlive(owner)) stop()
  }
  const looking = setInterval(look, everyMs)
  return command.result.finally(() => clearInterval(looking))
}

function endOf({ outcome }: Result): string {
  if (outcome.kind === 'exited') return `exit ${outcome.code}`
  return outcome.kind === 'signalled'
    ? `killed by ${outcome.signal}`
    : outcome.kind.replace('cancelled', 'stopped')
}

/** Asks at the terminal of the process that waits for the start. Later there is none. */
const askingParent: Approver = Object.assign(
  (request: Parameters<Approver>[0], decision: Parameters<Approver>[1]) => {
    if (!process.connected) throw codedError('unanswered')
    const { signal, ...question } = request
    tell({ kind: 'ask', request: question, decision })
    signal.addEventListener('abort', () => tell({ kind: 'late' }), { once: true })
    return new Promise<'yes' | 'no'>((resolve, reject) => {
      process.once('disconnect', () => reject(codedError('unanswered')))
      process.once('message', (message: ToHost) => {
        if (message.kind === 'answer' && message.approval !== 'none') resolve(message.approval as 'yes')
        else reject(codedError('unanswered'))
      })
    })
  },
  { by: 'terminal' },
)
