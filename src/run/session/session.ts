import { loadLate } from '../../base/process.ts'
import { Turns } from '../../base/turns.ts'
import type { AnyResult, Encoding, Mode, OutputIn, Result } from '../../base/types.ts'
import { type ExecuteAllOptions, readListOptions } from '../../host/shell-options.ts'
import { withResults } from '../../messages/error.ts'
import { refuseRequest } from '../../request/fields.ts'
import {
  type CompleteRequest,
  type ExecuteOptions,
  type ExecuteRequest,
  readList,
} from '../../request/request.ts'
import {
  freshState,
  isFresh,
  type LineInState,
  loosens,
  type SessionCall,
  type SessionState,
  type StatefulShell,
} from '../../request/state.ts'
import { type Execution, interpreterOf, programOf, type RunContext, type Running } from '../execution.ts'
import { isOver } from '../list.ts'

/** From a state on. Throws INVALID_REQUEST where no session can be kept. */
export function openSession(
  { backend, defaults }: RunContext,
  mode: () => Mode,
  run: SessionRunner,
  state = freshState(defaults.cwd),
): Session {
  if (backend.launcher.sessions) return new Session(mode, run, defaults.cwd, state)
  const where = backend.place === 'container' ? 'The docker backend keeps' : 'PowerShell keeps'
  return refuseRequest({ kind: 'usage', detail: `${where} no sessions. Run each command by itself.` })
}

/** Undefined: no session, or no line. Throws INVALID_REQUEST for a shell whose state cannot be kept. */
export async function lineInState(
  request: CompleteRequest,
  context: RunContext,
): Promise<LineInState | undefined> {
  const { work, session } = request
  if (!session || work.kind === 'argv') return undefined
  const { state } = session
  const shell = shellFor(request, state, context)
  // Loaded late: most commands belong to no session, and the parser costs start-up time.
  const { makeLine } = await loadLate(() => import('./taken.ts'))
  const [name = 'sh'] = interpreterOf(work, context).line(work.line).argv
  return makeLine({ shell, name, line: work.line, state })
}

function shellFor(request: CompleteRequest, state: SessionState, context: RunContext): StatefulShell {
  const shell = interpreterOf(request.work, context).stateful?.()
  const program = programOf(request, context)
  if (!shell) refuse(`A session keeps the state of dash and bash only, and ${program} is neither.`)
  if (state.shell === null || state.shell === shell) return shell
  return refuse(
    `This session has the state of ${state.shell}, which ${program} cannot read: use another session.`,
  )
}

function refuse(detail: string): never {
  return refuseRequest({ kind: 'usage', detail })
}

/** Reads what the shell has left, when the command has ended. */
export function takeState({ request, inState, admission }: Execution, { process }: Running): void {
  const bytes = process.state?.()
  if (bytes && inState && request.session)
    request.session.left = inState.taken(bytes, admission.decision.held === true)
}

/** How a shell runs one command of a session. */
export type SessionRunner = <E extends Encoding>(
  given: { readonly request: ExecuteRequest; readonly session: SessionCall },
  options: ExecuteOptions<E> | undefined,
) => Promise<Result<OutputIn<E>>>

/**
 * Commands that share a state: directory, variables, umask, options, functions and aliases carry over from one line to the next. Each
 * is a command of its own; they run one after the other.
 */
export class Session {
  readonly #mode: () => Mode
  readonly #run: SessionRunner
  readonly #home: string
  readonly #turns = new Turns(1)
  #state: SessionState

  /** @internal Use `shell.session()`. */
  constructor(mode: () => Mode, run: SessionRunner, home: string, state: SessionState) {
    this.#mode = mode
    this.#run = run
    this.#home = home
    this.#state = state
  }

  /** The directory of the next command, absolute. Default: the shell's. */
  get cwd(): string {
    return this.#state.cwd
  }

  /** What the next command begins with: plain JSON, from which `shell.session(state)` goes on. */
  get state(): SessionState {
    return this.#state
  }

  /**
   * Runs one command with the session's state, when those before it have ended; a line leaves the state that it ends with. `cwd` and
   * `env` of the request hold for this command only. `argv` uses directory and exported variables, and changes nothing. In a looser
   * mode than that which the state came about in the session begins anew. `result.session` says where the session is now, and `hint`
   * what does not carry over. Throws as `shell.execute`, and INVALID_REQUEST for a shell that is neither dash nor bash, or not the one
   * that the state is of.
   */
  async execute<E extends Encoding = 'utf8'>(
    request: ExecuteRequest,
    options?: ExecuteOptions<E>,
  ): Promise<Result<OutputIn<E>>> {
    return this.#turns.run(() => this.#execute(request, options), options?.signal)
  }

  /** Runs commands in order, to the first that fails; each is admitted when its turn comes. Throws as `shell.executeAll`. */
  async executeAll<E extends Encoding = 'utf8'>(
    requests: readonly (string | ExecuteRequest)[],
    options: ExecuteAllOptions<E> = {},
  ): Promise<Result<OutputIn<E>>[]> {
    const results: Result<OutputIn<E>>[] = []
    try {
      const { workDir: cwd, timeoutMs, ignoreErrors: _, ...each } = readListOptions(options)
      for (const request of readList(requests)) {
        if (isOver(results.at(-1), options)) break
        results.push(await this.execute<E>({ cwd, timeoutMs, ...request }, each as ExecuteOptions<E>))
      }
    } catch (error) {
      throw withResults(error, results)
    }
    return results
  }

  async #execute<E extends Encoding>(
    request: ExecuteRequest,
    options: ExecuteOptions<E> | undefined,
  ): Promise<Result<OutputIn<E>>> {
    const mode = request.mode ?? this.#mode()
    const isDropped = loosens(this.#state, mode)
    const session: SessionCall = { state: isDropped ? freshState(this.#home) : this.#state }
    const result = await this.#run({ request, session }, options)
    const said = isDropped
      ? [
          `The session begins anew: its state came about in ${this.#state.mode} mode, and ${mode} mode holds less.`,
        ]
      : []
    const { left } = session
    if (left?.state)
      this.#state = isFresh(left.state, this.#home) ? freshState(this.#home) : { ...left.state, mode }
    else if (isDropped) this.#state = session.state
    const told = { cwd: this.cwd, kept: left === undefined || left.state !== undefined }
    return telling(result, told, [...said, ...(left?.notes ?? [])])
  }
}

function telling<R extends AnyResult>(result: R, session: AnyResult['session'], notes: readonly string[]): R {
  const hint = [result.hint, ...notes].filter((note) => note !== undefined).join(' ')
  return { ...result, session, ...(hint !== '' && { hint }) }
}
