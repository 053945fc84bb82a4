import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import type { Refused } from '../admit/admission.ts'
import { errorCode, tried } from '../base/errno.ts'
import type { FileOperation } from '../base/refusal.ts'
import { quoted } from '../base/text.ts'
import { type Decision, type Encoding, type Mode, modes } from '../base/types.ts'
import { checkProgram } from '../host/backend.ts'
import { readExecuteOptions } from '../host/shell-options.ts'
import { VitrineError } from '../messages/error.ts'
import { narrowed } from '../network/access.ts'
import { type BackgroundRequest, completeBackground } from '../request/background.ts'
import { refuseValue } from '../request/fields.ts'
import { checkDirectory } from '../request/lookup.ts'
import {
  type CompleteRequest,
  completeRequest,
  type ExecuteOptions,
  type ExecuteRequest,
  type RequestDefaults,
} from '../request/request.ts'
import type { SessionCall } from '../request/state.ts'
import { checkInput } from '../request/stdin.ts'
import { completeStart, type StartDefaults, type StartRequest } from '../request/terminal.ts'
import { checkScratchpadName } from '../scratchpad/session.ts'
import { isRepeatable } from './again.ts'
import { type Execution, programOf, type RunContext } from './execution.ts'
import { PrivateTmp } from './private-tmp.ts'
import { lineInState } from './session/session.ts'

/** A request before any check: of `execute`, `start`, or `background`. */
export type Given =
  | { readonly kind: 'command'; readonly request: ExecuteRequest; readonly session?: SessionCall }
  | { readonly kind: 'terminal'; readonly request: StartRequest }
  | { readonly kind: 'file'; readonly request: FileRequest }
  | { readonly kind: 'background'; readonly request: BackgroundRequest }

/** One operation on files. `argv` is what starts. */
export interface FileRequest extends ExecuteRequest {
  /** What the policy, questions and the audit log see: the operation, and what it is about. */
  readonly names: readonly [FileOperation, string, ...string[]]
  readonly shown: string
}

/**
 * A request and its options as they were when the call was made: what the caller changes later concerns neither the
 * command nor its line in the audit log. `fault`: what is wrong with them. `refused`: what a first run was refused; a second one is in
 * write mode and always needs an approval.
 */
export interface Asked {
  readonly mode: Mode
  readonly given: Given
  readonly request?: CompleteRequest
  readonly options: ExecuteOptions<Encoding>
  readonly fault?: unknown
  readonly refused?: Refused
}

export function ask(
  given: Given,
  wanted: ExecuteOptions<Encoding> | undefined,
  mode: Mode,
  context: RunContext,
): Asked {
  let request: CompleteRequest | undefined
  try {
    request = complete(given, context)
    return {
      mode: modeOf(request, mode),
      given,
      request,
      options: wanted === undefined ? {} : readExecuteOptions(wanted),
    }
  } catch (fault) {
    return { mode, given, ...(request && { request }), options: {}, fault }
  }
}

/** For the audit log: what runs, or where that is not known what was given. */
export function toldOf({ request, given }: Asked): unknown {
  if (given.kind === 'file') return { event: 'file', argv: given.request.names }
  if (!request) return given.request
  const { work, cwd } = request
  return work.kind === 'line' ? { command: work.line, cwd } : { argv: work.argv, cwd }
}

/** Throws INVALID_REQUEST, DENIED, NOT_APPROVED, WRITE_MODE_REQUIRED, SANDBOX_UNAVAILABLE, SPAWN_FAILED. */
export async function admit(asked: Asked, context: RunContext): Promise<Execution> {
  const { request } = asked
  if (!request || 'fault' in asked) throw asked.fault
  try {
    return await admitted(asked, request, context)
  } catch (error) {
    const errno = errorCode(error)
    if (errno !== 'EMFILE' && errno !== 'ENFILE') throw error
    // A module that is loaded late lacked a descriptor.
    throw new VitrineError({
      code: 'SPAWN_FAILED',
      step: 'modules',
      errno,
      program: programOf(request, context),
    })
  }
}

async function admitted(asked: Asked, given: CompleteRequest, context: RunContext): Promise<Execution> {
  const { mode: wanted, refused, options } = asked
  const request = await checked(given, wanted, context)
  const network =
    request.network === undefined
      ? context.network
      : narrowed(context.network, request.network, context.config.network)
  // The first command ever in a workspace: later ones find out beside.
  if (wanted === 'workspace' && !context.repositories().isWalked) await context.repositories().walk()
  const inState = request.session && (await lineInState(request, context))
  const usual = context.setups.in(wanted, { privateTmp: request.privateTmp, network: network.kind })
  const { timeoutMs } = request.timeoutMs < Infinity ? request : context.defaults
  const wait = { timeoutMs, signal: options.signal }
  const canHold = () => isHoldable(request, context)
  const asks = { ...request, state: request.session?.state, mode: wanted, canHold, refused }
  const admission = await context.admission.admit(asks, wait)
  const { held } = admission.decision
  const mode = held ? 'read' : wanted
  // Under preset `analysis` nothing runs again.
  const reach = held && !isAnalysis(context) ? shut : network
  const access = mode !== 'write' && reach.kind === 'hosts' ? await context.proxy.accessFor(reach) : undefined
  const setup = held ? context.setups.held(reach.kind) : usual
  if (request.background?.ready === 'listening') checkListening(setup)
  const tmp = setup.privateTmp ? new PrivateTmp(setup, setup.privateTmp, context.removing) : undefined
  const kept = { answers: [], hostAnswers: [], running: undefined }
  return { request, mode, options, admission, setup, tmp, access, context, inState, ...kept }
}

/** Throws INVALID_REQUEST where the launcher does not tell where the command listens. */
function checkListening({ enforcement }: Execution['setup']): void {
  if (enforcement['own sockets']?.enforced !== true)
    refuseValue('ready', 'a RegExp or a function where commands have no sockets of their own', '"listening"')
}

const shut = { kind: 'none' } as const

/** Read mode can hold it, and it could run again in write mode, which preset `analysis` has no use for. */
function isHoldable(request: CompleteRequest, context: RunContext): boolean {
  return (isAnalysis(context) || isRepeatable(request)) && context.setups.canHold()
}

function isAnalysis({ config }: RunContext): boolean {
  return config.policy.preset === 'analysis'
}

/** The policy's decision about a request. Throws INVALID_REQUEST. */
export async function decide(request: ExecuteRequest, mode: Mode, context: RunContext): Promise<Decision> {
  const whole = complete({ kind: 'command', request }, context)
  const { work, cwd, env } = whole
  const asked = { work, cwd, env, mode: modeOf(whole, mode) }
  await checkDirectory(cwd)
  return context.admission.decide({ ...asked, canHold: () => isHoldable(whole, context) })
}

/** The call's own, which may be stricter than the shell's. Throws INVALID_REQUEST for a looser one. */
function modeOf(request: CompleteRequest, ofShell: Mode): Mode {
  const { mode = ofShell } = request
  const asStrict = modes.slice(0, modes.indexOf(ofShell) + 1)
  if (!asStrict.includes(mode)) refuseValue('mode', asStrict.join(' or '), mode)
  return mode
}

function completed(given: Given, defaults: StartDefaults): CompleteRequest {
  if (given.kind === 'terminal') return completeStart(given.request, defaults)
  if (given.kind === 'background') return completeBackground(given.request, defaults)
  if (given.kind === 'file') return completeFile(given.request, defaults)
  if (given.session) return inSession(given.request, given.session, defaults)
  return completeRequest(given.request, defaults)
}

function complete(given: Given, { defaults }: RunContext): CompleteRequest {
  const request = completed(given, defaults)
  if (request.scratchpad !== undefined) checkScratchpadName(request.scratchpad)
  return request
}

function inSession(given: ExecuteRequest, session: SessionCall, defaults: RequestDefaults): CompleteRequest {
  return { ...completeRequest(given, { ...defaults, cwd: session.state.cwd }), session }
}

function completeFile({ names, shown, ...request }: FileRequest, defaults: RequestDefaults): CompleteRequest {
  const whole = completeRequest(request, defaults)
  if (whole.work.kind === 'line') return whole
  const [operation, path] = names
  const isChange = operation === 'write_file' || operation === 'edit_file'
  const own = { argv: whole.work.argv, shown: isChange ? `${shown}${leadingTo(path, whole.cwd)}` : shown }
  return { ...whole, work: { kind: 'argv', argv: names, own } }
}

/** A question names what changes where a link leads elsewhere than its path says. */
function leadingTo(path: string, cwd: string): string {
  const real = realpathSync.native
  const whole = isAbsolute(path) ? path : `${cwd}/${path}`
  const within = tried(() => real(dirname(whole)))
  const there =
    tried(() => real(whole)) ??
    (within && resolve(within, tried(() => readlinkSync(whole)) ?? basename(whole)))
  const usual = isAbsolute(path) ? resolve(path) : resolve(tried(() => real(cwd)) ?? cwd, path)
  return there === undefined || there === usual ? '' : `\nleads to ${quoted(there)}`
}

/** Checks what only this host can tell, and names the directory as the backend does. */
async function checked(
  request: CompleteRequest,
  mode: Mode,
  { backend, scratchpad, workspaceRoot }: RunContext,
): Promise<CompleteRequest> {
  if (request.work.kind === 'line' && request.work.program !== undefined)
    await checkProgram(request.work.program, backend, workspaceRoot())
  const cwd = (await backend.directoryThere?.(request.cwd)) ?? request.cwd
  if (mode !== 'write' && typeof request.stdin === 'number') checkInput(request.stdin)
  if (request.scratchpad !== undefined) scratchpad.checkSavable(request.scratchpad)
  return cwd === request.cwd ? request : { ...request, cwd }
}
