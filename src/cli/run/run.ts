import {
  type ExecuteOptions,
  type ExecuteRequest,
  leave,
  openShell,
  type Result,
  type Shell,
} from '../../internal.ts'
import { isShellClosed, isVitrineError, type VitrineError } from '../../messages/error.ts'
import { isFailure, listLines } from '../../messages/result.ts'
import { checkSandboxed, sayIgnored, shellOptions } from '../configuration.ts'
import { standardOutput, tell } from '../output.ts'
import { OutputRelay } from './relay.ts'
import { type RunArguments, readRunArguments, standardInput } from './request.ts'
import { afterLines, brokenPipeCode, exitCodeOf, jsonOf, refusalCode } from './result.ts'

export async function main(args: readonly string[]): Promise<number> {
  const given = readRunArguments(args)
  // Imported late, as all that few commands need.
  if (given.background) return (await import('../background/start.ts')).startInBackground(args, given)
  // Imported late: few commands get a terminal.
  const pty = given.pty ? await import('./pty.ts') : undefined
  pty?.checkPty(given)
  const relay = given.json || pty ? undefined : new OutputRelay()
  const shell = await openShell({
    ...(await shellOptions(given.options)),
    // Imported late: most commands need no approval.
    approver: given.ask ? (await import('./ask.ts')).askingApprover(relay) : undefined,
  })
  checkSandboxed([shell.mode], given.options, shell.config.shell.backend)
  await sayIgnored(shell)
  await sayLowered(given.requests[0]?.timeoutMs, shell)
  if (pty) return pty.runInTerminal(shell, given.requests[0] ?? {})
  if (relay) relay.onCancel = () => void shell.close()
  const code = await (relay ? runStreaming(shell, given, relay) : runToJson(shell, given))
  leaveEarly()
  return code
}

export type CommandsToRun = Pick<RunArguments, 'each' | 'requests'> &
  Partial<Pick<RunArguments, 'keepGoing'>> &
  Pick<ExecuteRequest, 'stdin'> &
  Pick<ExecuteOptions, 'hintFor'>

/** What ran, and why a later line of a list could not be started. */
interface Ran {
  readonly results: readonly Result[]
  readonly stopped?: VitrineError
}

async function runToJson(shell: Shell, given: RunArguments): Promise<number> {
  const stop = forwardSignals(shell)
  const ran = await runAll(shell, given, {}).then(allOf, startedOf).finally(stop)
  await standardOutput.write(`${JSON.stringify(jsonOf(given, ran.results, ran.stopped))}\n`)
  return (await brokenPipeCode(false)) ?? exitCodeOfList(given, ran)
}

/** Runs the commands one after the other and passes on their output. Resolves to the exit code. */
export async function runStreaming(shell: Shell, given: CommandsToRun, relay: OutputRelay): Promise<number> {
  const stop = forwardSignals(shell)
  relay.begin()
  const ran = await runAll(shell, given, {
    onOutput: (stream, chunk) => relay.pass(stream, chunk),
    save: given.requests[0]?.scratchpad !== undefined,
    hintFor: given.hintFor,
  })
    .catch(nothingIfClosed)
    .then(allOf, startedOf)
    .finally(() => {
      relay.end()
      // From here on signals end vitrine as usual: only a slow reader of our output can delay it.
      stop()
    })
  await relay.flushed()
  const broken = await brokenPipeCode()
  if (broken === undefined) await relay.sayAfterwards(linesOf(given, ran))
  return broken ?? exitCodeOfList(given, ran)
}

function linesOf({ each, requests }: CommandsToRun, { results, stopped }: Ran): readonly string[] {
  const commands = requests.map(({ command = '' }) => command)
  return [...results.flatMap(afterLines), ...(each ? listLines(commands, results, stopped?.message) : [])]
}

async function runAll(
  shell: Shell,
  { each, keepGoing, requests, stdin = standardInput(shell.mode) }: CommandsToRun,
  options: ExecuteOptions,
): Promise<readonly Result[]> {
  const given = requests.map((request) => ({ ...request, stdin }))
  if (each) return shell.executeAll(given, { ...options, ignoreErrors: keepGoing })
  return Promise.all(given.map((request) => shell.execute(request, options)))
}

/** Our output broke between two commands of a list: that is no error, the exit code reports it. */
function nothingIfClosed(error: unknown): readonly Result[] {
  if (isShellClosed(error)) return []
  throw error
}

function allOf(results: readonly Result[]): Ran {
  return { results }
}

/** Throws the error again if nothing ran. */
function startedOf(error: unknown): Ran {
  if (!isVitrineError(error) || !error.results?.length) throw error
  return { results: error.results as readonly Result[], stopped: error }
}

/** That of the last command; with --keep-going that of the first command that failed. */
function exitCodeOfList({ keepGoing = false }: CommandsToRun, { results, stopped }: Ran): number {
  if (stopped && !(keepGoing && results.some(isFailure))) return refusalCode(stopped.refusal)
  const counting = (keepGoing ? results.find(isFailure) : undefined) ?? results.at(-1)
  return counting ? exitCodeOf(counting) : 0
}

/** Reports that a command gets less time than --timeout asks for. */
async function sayLowered(asked: number | undefined, { config }: Shell): Promise<void> {
  const most = config.shell.max_timeout_ms
  if (asked !== undefined && asked > most)
    await tell(`--timeout ${asked} ms exceeds the maximum; ${most} ms ([shell] max_timeout_ms) is used.`)
}

const forwarded: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
/** Not SIGHUP and SIGQUIT: servers read their settings again at each, Java prints its threads. */
const insistent: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']

/** Forwards our signals to the group; a second SIGINT, or a second SIGTERM, kills it. Returns a function that stops this. */
function forwardSignals(shell: Shell): () => void {
  const seen = new Set<NodeJS.Signals>()
  const forward = (name: NodeJS.Signals) => {
    const kill = seen.has(name) && insistent.includes(name)
    seen.add(name)
    shell.signal(kill ? 'SIGKILL' : name)
  }
  for (const name of forwarded) process.on(name, forward)
  return () => {
    for (const name of forwarded) process.off(name, forward)
  }
}

/**
 * Has the process end right after the other listeners of `exit`: Node's own teardown takes as long as a command. It stays where
 * options of Node, such as those for profiles and coverage, write their results there.
 */
export function leaveEarly(): void {
  const { env, execArgv } = process
  const isPlain = execArgv.length === 0 && !env['NODE_OPTIONS'] && !env['NODE_V8_COVERAGE']
  if (isPlain && isCompileCacheWritten()) process.once('exit', leave)
}

/** Node writes its compile cache at its teardown, unless it can be told to write earlier (since 22.10). False: it has not. */
function isCompileCacheWritten(): boolean {
  const modules: object = process.getBuiltinModule('node:module')
  const cache: { readonly enableCompileCache?: unknown; readonly flushCompileCache?: () => void } = modules
  cache.flushCompileCache?.()
  return !cache.enableCompileCache || cache.flushCompileCache !== undefined
}
