import { resolve } from 'node:path'
import { loadLate } from '../base/process.ts'
import type { AnyResult, Connection, Handoff } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import { startsOneProgram } from '../messages/fallbacks.ts'
import { namingProjects } from '../messages/project.ts'
import type { Variables } from '../request/environment.ts'
import { answered, cannotEnter, statusOf } from '../request/lookup.ts'
import type { CompleteRequest } from '../request/request.ts'
import { handoffsOf } from '../sandbox/workspace/handoffs.ts'
import type { EntryMetadata } from '../scratchpad/list.ts'
import { interpreterOf, programOf } from './admit.ts'
import type { Collected } from './collect.ts'
import type { Ended, Execution } from './execution.ts'
import { deniedConnections } from './hosts.ts'
import type { OwnSockets } from './refusal-hint.ts'
import { buildResult, type ResultParts } from './result.ts'
import { saveOutput } from './shown.ts'

/** Throws SPAWN_FAILED, SANDBOX_UNAVAILABLE or INVALID_REQUEST (the directory) if the command never ran. */
export async function finish(execution: Execution, ended: Ended): Promise<AnyResult> {
  const { request, context, tmp, access } = execution
  const connections = access?.end()
  const note = await tmp?.remove(execution.mode === 'workspace' && hasEnded(ended))
  const end = withRefusedHosts(await endOf(ended, execution), connections)
  const collected = await ended.collector.finish()
  const handoffs = await handedOff(end, ended.setup, execution)
  const hint = await hintAbout(execution, end)
  const parts = partsOf(execution, { connections, hint, ...ended, end }, collected)
  const result = buildResult({ ...parts, handoffs })
  if (result.scratchpad) context.scratchpad.describe(result.scratchpad.name, metadataOf(request, result))
  const named = namingProjects(result, context.config, ended.setup.projectSettings)
  if (note === undefined) return named
  const left = { enforced: false, by: 'none', note }
  return { ...named, enforcement: { ...named.enforcement, 'private tmp': left } }
}

async function handedOff(
  end: ResultParts['ended']['end'],
  { confinement }: Ended['setup'],
  { context }: Execution,
): Promise<readonly Handoff[]> {
  const changes = confinement && 'changes' in confinement ? confinement.changes : null
  if (!changes || !(end.notes || end.unseen)) return []
  return handoffsOf(end, changes.roots, context.repositories())
}

/** It exited by itself and left no process. */
function hasEnded({ end }: Ended): boolean {
  return end.kind === 'exited' && end.survivors.alive + end.survivors.killed === 0
}

function withRefusedHosts<E extends ResultParts['ended']['end']>(
  end: E,
  connections: readonly Connection[] | undefined,
): E {
  if (!connections) return end
  return { ...end, denials: [...end.denials, ...deniedConnections(connections)] }
}

async function endOf({ end }: Ended, execution: Execution): Promise<ResultParts['ended']['end']> {
  const { request, context } = execution
  if (end.kind !== 'failed') return end
  if (end.refusal) throw new VitrineError(end.refusal)
  if (end.step === 'chdir') throw cannotEnter(request.cwd, end.errno)
  const { step, errno } = end
  const program = programOf(request, context)
  const found = step === 'exec' && errno === 'ENOENT' && (await isThere(program, execution))
  const missing = found ? ({ missing: 'interpreter' } as const) : {}
  throw new VitrineError({ code: 'SPAWN_FAILED', step, errno, program, ...missing })
}

/** Whether the path of a program on this machine exists. */
async function isThere(program: string, { request, context }: Execution): Promise<boolean> {
  if (context.config.shell.backend !== 'local' || !program.includes('/')) return false
  const path = resolve(request.cwd, program)
  const status = await answered(() => statusOf(path)).catch(() => undefined) // it did not answer
  return status !== undefined
}

/** What the interpreter says about the line. */
async function hintAbout(
  { request, options, context }: Execution,
  end: ResultParts['ended']['end'],
): Promise<string | undefined> {
  if (request.work.kind !== 'line') return undefined
  const { line } = request.work
  const interpreter = interpreterOf(request.work, context)
  if (!interpreter.isDash || !mayNeedHint(line)) return interpreter.hint?.(line)
  // Imported late: the parser costs start-up time.
  const { lineHint } = await loadLate(() => import('../policy/line-hint.ts'))
  const signal = end.kind === 'signalled' ? end.signal : null
  return lineHint(line, { signal, reader: options.hintFor ?? 'user', inDash: interpreter.isDash() })
}

/** What bash reads otherwise than dash, and what merely looks like it: most lines have none. */
const BASH =
  /&>|>&\s*[^\s\d&-]|[<>(]\(|<<<|\|&|;&|\[\[|\$["']|\{[^{}]*(?:,|\.\.)[^{}]*\}|=\(|\+=|\]=|\$\{(?:!|\w+(?:\[|\/|\^|,|:\s*[\d(-]))/
const COMMANDS =
  /echo\s+-\w*e|pipefail|source|declare|typeset|shopt|let\s|mapfile|readarray|pushd|popd|dirs|disown|function|select|coproc|%[\d%+-]|pkill/

function mayNeedHint(line: string): boolean {
  return BASH.test(line) || COMMANDS.test(line)
}

/** A container makes its command's private directory itself, under a name that is not known here. */
function temporaryOf({ privateTmp, enforcement }: Ended['setup'], environment: Variables) {
  const own = enforcement['private tmp'] !== undefined
  return { own, directory: own && !privateTmp ? undefined : environment['TMPDIR'] }
}

/** Only Linux has them; a container has its own launcher. */
function ownSocketsOf({ enforcement, confinement }: Ended['setup'], wanted: boolean): OwnSockets {
  const right = enforcement['own sockets']
  if (right) return right.by === 'seccomp listener' ? 'open' : { lacks: right.note ?? '' }
  if (confinement?.kind !== 'landlock') return 'none'
  return wanted ? 'no-private-tmp' : 'setting'
}

function partsOf(
  { request, mode, admission, options, context }: Execution,
  ended: Ended & ResultParts['ended'] & Pick<ResultParts, 'connections' | 'hint'>,
  collected: Collected,
): Omit<ResultParts, 'handoffs'> {
  const { setup, durationMs } = ended
  const { config, scratchpad } = context
  const { inlineMaxChars = config.output.inline_max_chars, encoding = 'utf8', hintFor = 'user' } = options
  const shown = { inlineChars: inlineMaxChars, encoding }
  const { work } = request
  return {
    ended,
    connections: ended.connections,
    collected,
    saved: saveOutput(scratchpad, collected, request.scratchpad, shown),
    ...shown,
    maxBytes: config.output.max_bytes,
    durationMs,
    timeoutMs: request.timeoutMs,
    loweredFromMs: request.loweredFromMs,
    mode,
    backend: config.shell.backend,
    limits: setup.limits,
    enforcement: setup.enforcement,
    root: setup.workspace,
    decision: admission.decision,
    temporary: { ...temporaryOf(setup, setup.environment()), cwd: request.cwd },
    workspace: context.workspace,
    ownSockets: ownSocketsOf(setup, config.shell.own_sockets),
    reads: context.backend.reads,
    single: work.kind === 'argv' || startsOneProgram(work.line),
    hintFor,
    hint: ended.hint,
  }
}

function metadataOf({ work, cwd }: CompleteRequest, result: AnyResult): EntryMetadata {
  const { mode, outcome, exitCode, signal, durationMs, bytes, binary } = result
  return {
    command: work.kind === 'line' ? work.line : [...work.argv],
    cwd,
    mode,
    outcome: outcome.kind,
    exitCode,
    signal,
    started: new Date(Date.now() - durationMs).toISOString(),
    durationMs: Math.round(durationMs),
    bytes,
    binary,
  }
}
