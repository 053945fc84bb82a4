import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { modes, nearestKey } from '../internal.ts'
import type { ToolFacts } from '../messages/mcp/mcp.ts'
import { parameterTexts, wantedTexts } from '../messages/mcp/parameters.ts'
import { maxLines } from './limits.ts'

/** Parameters of `execute_command`. Unknown ones are refused, defaults filled in. */
export function executeSchema(facts: ToolFacts) {
  const entries = {
    command: text(parameterTexts.command, wantedTexts.command),
    timeout_ms: v.optional(
      positive(parameterTexts.timeoutMs(facts), wantedTexts.timeoutMs),
      facts.defaultTimeoutMs,
    ),
    scratchpad: v.optional(text(parameterTexts.scratchpad, wantedTexts.scratchpad)),
    cwd: v.optional(text(parameterTexts.cwd, wantedTexts.cwd)),
    private_tmp: v.optional(trueOrFalse(parameterTexts.privateTmp)),
    next: v.optional(furtherLines()),
    ignore_errors: v.optional(trueOrFalse(parameterTexts.ignoreErrors)),
  }
  return parameters(entries, facts.network === true ? {} : { network: wantedTexts.network })
}

export function readSchema() {
  const entries = {
    name: text(parameterTexts.entryName, wantedTexts.entryName),
    unit: v.optional(
      v.pipe(v.picklist(['lines', 'bytes'], wantedTexts.unit), v.description(parameterTexts.unit)),
      'lines',
    ),
    offset: v.optional(whole(parameterTexts.offset, wantedTexts.offset)),
    limit: v.optional(positive(parameterTexts.limit, wantedTexts.limit)),
    grep: v.optional(text(parameterTexts.grep, wantedTexts.grep)),
    context: v.optional(upTo(100, parameterTexts.context, wantedTexts.context), 0),
    ignore_case: v.optional(trueOrFalse(parameterTexts.ignoreCase), false),
  }
  return parameters(entries)
}

export function emptySchema() {
  return parameters({})
}

/** What `--structured` returns besides the text. */
export function resultSchema() {
  const saved = v.object({ name: v.string(), path: v.string(), bytes: v.number() })
  const denial = v.object({
    operation: v.string(),
    path: v.optional(v.string()),
    address: v.optional(v.string()),
    protected: v.optional(v.literal(true)),
    ownSandbox: v.optional(v.literal(true)),
    host: v.optional(v.literal(true)),
    syscall: v.string(),
    pid: v.number(),
    program: v.string(),
    count: v.number(),
  })
  const entries = {
    output: v.string(),
    exitCode: v.nullable(v.number()),
    signal: v.nullable(v.string()),
    timedOut: v.boolean(),
    cancelled: v.boolean(),
    outputLimited: v.boolean(),
    durationMs: v.number(),
    timeoutMs: v.number(),
    bytes: v.number(),
    omittedBytes: v.number(),
    binary: v.boolean(),
    mode: v.picklist(modes),
    denials: v.array(denial),
    listening: v.array(
      v.object({ address: v.string(), port: v.number(), pid: v.number(), program: v.string() }),
    ),
    handoffs: v.array(v.object({ path: v.string(), kind: v.string(), obeyedBy: v.string() })),
    hint: v.optional(v.string()),
    scratchpad: v.optional(saved),
    background: v.optional(
      v.object({
        count: v.number(),
        group: v.number(),
        left: v.optional(v.array(v.object({ pid: v.number(), program: v.string() }))),
      }),
    ),
    limited: v.optional(v.picklist(['memory', 'cpu', 'processes', 'private_tmp', 'epoll_watches'])),
    failure: v.optional(v.object({ kind: v.string(), retryable: v.boolean(), advice: v.string() })),
  }
  const list = { next: v.optional(v.array(v.object(entries))), notRun: v.optional(v.array(v.string())) }
  return toStandardJsonSchema(v.object({ ...entries, ...list }))
}

/** What other shells' tools call it. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'],
  ['script', 'command'],
  ['workdir', 'cwd'],
])

/** Names the known keys for an unknown one, the reason for a withheld one, and asks for a missing one. */
function parameters<const E extends v.ObjectEntries>(
  entries: E,
  withheld: Readonly<Record<string, string>> = {},
) {
  const known = Object.keys(entries)
  const refusal = (issue: v.StrictObjectIssue) => {
    const name = String(issue.path?.[0].key)
    if (issue.received === 'undefined') return wantedTexts.missing(known)
    if (Object.hasOwn(withheld, name)) return withheld[name] ?? ''
    return wantedTexts.unknown(known, nearestKey(otherNames.get(name) ?? name, known))
  }
  return toStandardJsonSchema(v.strictObject(entries, refusal))
}

function text(about: string, wanted: string) {
  return v.pipe(v.string(wanted), v.description(about))
}

function furtherLines() {
  const wanted = wantedTexts.next(maxLines - 1)
  return v.pipe(
    v.array(v.string(wanted), wanted),
    v.minLength(1, wanted),
    v.maxLength(maxLines - 1, wanted),
    v.description(parameterTexts.next),
  )
}

function trueOrFalse(about: string) {
  return v.pipe(v.boolean(wantedTexts.trueOrFalse), v.description(about))
}

function whole(about: string, wanted: string) {
  return v.pipe(v.number(wanted), v.integer(wanted), v.description(about))
}

function positive(about: string, wanted: string) {
  return v.pipe(whole(about, wanted), v.minValue(1, wanted))
}

function upTo(most: number, about: string, wanted: string) {
  return v.pipe(whole(about, wanted), v.minValue(0, wanted), v.maxValue(most, wanted))
}
