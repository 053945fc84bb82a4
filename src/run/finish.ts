import { resolve } from 'node:path'
import { errorCode } from '../base/errno.ts'
import { loadLate } from '../base/process.ts'
import type { AnyResult, Handoff } from '../base/types.ts'
import type { ProcessEnd } from '../launch/launch.ts'
import { VitrineError } from '../messages/error.ts'
import { namingProjects } from '../messages/project.ts'
import { answered, cannotEnter, statusOf } from '../request/lookup.ts'
import { handoffsOf } from '../sandbox/workspace/handoffs.ts'
import type { EntryMetadata } from '../scratchpad/list.ts'
import { type Ended, type Execution, type Finished, interpreterOf, programOf, type Ran } from './execution.ts'
import { deniedConnections } from './hosts.ts'
import { buildResult, type Hint, isPlain, type Judged, judge } from './result.ts'
import { saveOutput } from './shown.ts'

/** Throws SPAWN_FAILED, SANDBOX_UNAVAILABLE or INVALID_REQUEST (the directory) if the command never ran. */
export async function finish(execution: Execution, ended: Ended): Promise<AnyResult> {
  const { request, options, mode, context, tmp, access } = execution
  const { config, scratchpad } = context
  const connections = access?.end()
  const tmpNote = await tmp?.remove(mode === 'workspace' && leftNothing(ended.end))
  if (ended.end.kind === 'failed') throw await neverRan(ended.end, execution)
  const denials = [...ended.end.denials, ...deniedConnections(connections ?? [])]
  const end = { ...ended.end, denials }
  const collected = await ended.collector.finish()
  const { inlineMaxChars = config.output.inline_max_chars, encoding = 'utf8' } = options
  const shown = { inlineChars: inlineMaxChars, encoding }
  const finished: Finished = {
    execution,
    ...ended,
    end,
    collected,
    shown,
    saved: saveOutput(scratchpad, collected, request.scratchpad, shown),
    handoffs: await handedOff(end, ended.setup, execution),
    connections,
    tmpNote,
  }
  const judged = judge(finished)
  const result = buildResult(finished, judged, await hintAt(finished, judged))
  if (result.scratchpad) scratchpad.describe(result.scratchpad.name, metadataOf(execution, result))
  return namingProjects(result, config, ended.setup.projectSettings)
}

/** It exited by itself and left no process. */
function leftNothing(end: ProcessEnd): boolean {
  return end.kind === 'exited' && end.survivors.alive + end.survivors.killed === 0
}

async function handedOff(
  end: Ran,
  { confinement }: Ended['setup'],
  { context }: Execution,
): Promise<readonly Handoff[]> {
  const changes = confinement && 'changes' in confinement ? confinement.changes : null
  if (!changes || !(end.notes || end.unseen)) return []
  return handoffsOf(end, changes.roots, context.repositories())
}

async function neverRan(
  { step, errno, refusal }: Extract<ProcessEnd, { kind: 'failed' }>,
  execution: Execution,
): Promise<VitrineError> {
  const { request, context } = execution
  if (refusal) return new VitrineError(refusal)
  if (step === 'chdir') return cannotEnter(request.cwd, errno)
  const program = programOf(request, context)
  const found = step === 'exec' && errno === 'ENOENT' && (await isThere(program, execution))
  const missing = found ? ({ missing: 'interpreter' } as const) : {}
  return new VitrineError({ code: 'SPAWN_FAILED', step, errno, program, ...missing })
}

/** Whether the path of a program on this machine exists. */
async function isThere(program: string, { request, context }: Execution): Promise<boolean> {
  if (context.config.shell.backend !== 'local' || !program.includes('/')) return false
  const path = resolve(request.cwd, program)
  const status = await answered(() => statusOf(path)).catch(() => undefined) // it did not answer
  return status !== undefined
}

/** What explains is imported late: most commands need none of it. Without a descriptor for that the result stands by itself. */
async function hintAt(finished: Finished, judged: Judged): Promise<Hint> {
  try {
    const lineHint = await lineHintAt(finished.end, finished.execution)
    if (isPlain(finished, judged)) return { hint: lineHint }
    const { hintOf } = await loadLate(() => import('./hint.ts'))
    return hintOf(finished, judged, lineHint)
  } catch (error) {
    const errno = errorCode(error)
    if (errno !== 'EMFILE' && errno !== 'ENFILE') throw error
    return { hint: `There may be a hint at this, but what makes hints could not be loaded (${errno}).` }
  }
}

/** What the interpreter says about the line. */
async function lineHintAt(end: Ran, { request, options, context }: Execution): Promise<string | undefined> {
  const { work } = request
  if (work.kind !== 'line') return undefined
  const interpreter = interpreterOf(work, context)
  if (!interpreter.isDash || !mayNeedHint(work.line)) return interpreter.hint?.(work.line)
  // Imported late: the parser costs start-up time.
  const { lineHint } = await loadLate(() => import('../policy/line-hint.ts'))
  const signal = end.kind === 'signalled' ? end.signal : null
  return lineHint(work.line, { signal, reader: options.hintFor ?? 'user', inDash: interpreter.isDash() })
}

/** What bash reads otherwise than dash, and what merely looks like it: most lines have none. */
const BASH =
  /&>|>&\s*[^\s\d&-]|[<>(]\(|<<<|\|&|;&|\[\[|\$["']|\{[^{}]*(?:,|\.\.)|=\(|\+=|\]=|\$\{(?:!|\w+(?:\[|\/|\^|,|:\s*[\d(-]))/
const COMMANDS =
  /echo\s+-\w*e|pipefail|source|declare|typeset|shopt|let\s|mapfile|readarray|pushd|popd|dirs|disown|function|select|coproc|%[\d%+-]|pkill/

function mayNeedHint(line: string): boolean {
  return BASH.test(line) || COMMANDS.test(line)
}

function metadataOf({ request }: Execution, result: AnyResult): EntryMetadata {
  const { work, cwd } = request
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
