import {
  type ExecuteOptions,
  type ExecuteRequest,
  openShell,
  type Result,
  type Shell,
} from '../../internal.ts'
import { prefixed, timeoutLowered } from '../../messages/cli/run.ts'
import { isFailure, listLines } from '../../messages/list.ts'
import { loadGiven, sayIgnored } from '../configuration.ts'
import { jsonOf } from '../json.ts'
import { brokenCode, codeOf } from './exit-code.ts'
import { type Order, readOrder } from './options.ts'
import { Passage } from './relay.ts'
import { forwardSignals } from './signals.ts'
import { standardError, standardOutput } from './sink.ts'
import { standardInput } from './stdin.ts'

/** `vitrine run`: runs one command, or several with --each; prints their output. */
export async function main(args: readonly string[]): Promise<number> {
  const order = readOrder(args)
  // Imported late: few commands get a terminal.
  const pty = order.pty ? await import('./pty.ts') : undefined
  pty?.checkPty(order)
  const passage = order.json || pty ? undefined : new Passage()
  const shell = await openShell({
    cwd: order.cwd,
    config: order.workspace === undefined ? order.config : await loadGiven(order),
    backend: order.backend,
    mode: order.write ? 'write' : undefined,
    network: order.network ? true : undefined,
    privateTmp: order.privateTmp ? true : undefined,
    // Imported late: most commands need no approval.
    approver: order.ask ? (await import('./ask.ts')).asker(passage) : undefined,
  })
  await sayIgnored(shell)
  await sayLowered(order.requests[0]?.timeoutMs, shell)
  if (pty) return pty.runInTerminal(shell, order)
  return passage ? runStreaming(shell, order, passage) : runToJson(shell, order)
}

/** What to run, and its stdin: our own unless given. */
export type Work = Pick<Order, 'each' | 'requests'> &
  Partial<Pick<Order, 'keepGoing'>> &
  Pick<ExecuteRequest, 'stdin'> &
  Pick<ExecuteOptions, 'line'>

async function runToJson(shell: Shell, order: Order): Promise<number> {
  const stop = forwardSignals(shell)
  const results = await runAll(shell, order, {})
  stop()
  await standardOutput.write(`${JSON.stringify(jsonOf(order, results))}\n`)
  return (await brokenCode()) ?? exitCodeOf(order, results)
}

/** Runs the commands one after the other and passes on their output. Resolves to the exit code. */
export async function runStreaming(shell: Shell, order: Work, passage: Passage): Promise<number> {
  const stop = forwardSignals(shell)
  passage.begin()
  const running = runAll(shell, order, {
    signal: passage.signal,
    onOutput: (stream, chunk) => passage.pass(stream, chunk),
    save: order.requests[0]?.scratchpad !== undefined,
    line: order.line,
  })
  const results = await running.catch(nothingIf(passage.signal)).finally(() => passage.end())
  // From here on signals end vitrine as usual: only a slow reader of our output can delay it.
  stop()
  await passage.flushed()
  const broken = await brokenCode()
  const lines = order.each
    ? listLines(
        order.requests.map(({ command = '' }) => command),
        results,
      )
    : []
  if (broken === undefined) await passage.sayAfterwards(results, lines)
  return broken ?? exitCodeOf(order, results)
}

async function runAll(
  shell: Shell,
  { each, keepGoing, requests, stdin = standardInput(shell.mode) }: Work,
  options: ExecuteOptions,
): Promise<readonly Result[]> {
  const given = requests.map((request) => ({ ...request, stdin }))
  if (each) return shell.executeAll(given, { ...options, ignoreErrors: keepGoing })
  return Promise.all(given.map((request) => shell.execute(request, options)))
}

/** Our output broke between two commands of a list: that is no error, the exit code reports it. */
function nothingIf(signal: AbortSignal): (error: unknown) => readonly Result[] {
  return (error) => {
    if (signal.aborted && error === signal.reason) return []
    throw error
  }
}

/** That of the last command; with --keep-going that of the first command that failed. */
function exitCodeOf({ keepGoing = false }: Work, results: readonly Result[]): number {
  const counting = (keepGoing ? results.find(isFailure) : undefined) ?? results.at(-1)
  return counting ? codeOf(counting) : 0
}

/** Reports that a command gets less time than --timeout asks for. */
export async function sayLowered(asked: number | undefined, { config }: Shell): Promise<void> {
  const most = config.shell.max_timeout_ms
  if (asked !== undefined && asked > most) await standardError.write(prefixed(timeoutLowered(asked, most)))
}
