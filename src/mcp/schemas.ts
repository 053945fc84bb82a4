import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { modes, nearestKey } from '../internal.ts'
import { parameterTexts, type ToolFacts } from '../messages/tool.ts'

/** Lines of one call. Each may need a question, and a call has 8 at most. */
const maxLines = 8

/** Parameters of `execute_command`. Unknown ones are refused, defaults filled in. */
export function executeSchema(facts: ToolFacts) {
  const { network } = facts
  const entries = {
    command: about(v.string(), parameterTexts.command),
    timeout_ms: v.optional(about(positive(), parameterTexts.timeoutMs(facts)), facts.defaultTimeoutMs),
    scratchpad: v.optional(about(v.string(), parameterTexts.scratchpad)),
    cwd: v.optional(about(v.string(), parameterTexts.cwd)),
    private_tmp: v.optional(about(v.boolean(), parameterTexts.privateTmp)),
    next: v.optional(
      about(v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(maxLines - 1)), parameterTexts.next),
    ),
    ignore_errors: v.optional(about(v.boolean(), parameterTexts.ignoreErrors)),
  }
  return parameters(entries, network === true ? undefined : 'network')
}

export function readSchema() {
  return parameters({
    name: about(v.string(), 'The name of the saved output, from a result or list_scratchpad.'),
    unit: v.optional(about(v.picklist(['lines', 'bytes']), 'What offset and limit count.'), 'lines'),
    offset: v.optional(
      about(
        v.pipe(v.number(), v.integer()),
        'Lines or bytes to skip at the beginning; a negative number counts from the end (-100: the last 100). Default 0.',
      ),
    ),
    limit: v.optional(
      about(positive(), 'The number of lines or bytes to read. Default: as many as can be shown at once.'),
    ),
    grep: v.optional(
      about(
        v.string(),
        'A regular expression in RE2 syntax (no lookaround, no backreferences): shows matching lines with their numbers instead of a range.',
      ),
    ),
    context: v.optional(
      about(
        v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100)),
        'With grep: lines to show before and after each match.',
      ),
      0,
    ),
    ignore_case: v.optional(about(v.boolean(), 'With grep: ignores case.'), false),
  })
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

function about<S extends v.GenericSchema>(schema: S, text: string) {
  return v.pipe(schema, v.description(text))
}

function positive() {
  return v.pipe(v.number(), v.integer(), v.minValue(1))
}

/** What other shells' tools call it. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'],
  ['script', 'command'],
  ['workdir', 'cwd'],
])

/** Names the known keys where one is missing or unknown; `withheld`: one that only the user can set. */
function parameters<const E extends v.ObjectEntries>(entries: E, withheld?: string) {
  const known = Object.keys(entries)
  const all = `parameters are ${known.join(', ') || 'none'}`
  const refusal = (issue: v.StrictObjectIssue) => {
    const name = String(issue.path?.[0].key)
    if (issue.received === 'undefined') return `it is required; the ${all}`
    if (name === withheld)
      return 'a call cannot allow the network; only the user can, with [shell] network = true or vitrine mcp --network'
    const nearest = nearestKey(otherNames.get(name) ?? name, known)
    const meant = nearest === undefined ? '; the' : `; did you mean ${nearest}? The`
    return `there is no such parameter${meant} ${all}`
  }
  return toStandardJsonSchema(v.strictObject(entries, refusal))
}
