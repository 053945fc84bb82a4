import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { nearestKey } from '../internal.ts'
import { parameterTexts, type ToolFacts } from '../messages/tool.ts'

/** Lines of one call. Each may need a question, and a call has 8 at most. */
const maxLines = 8

const integer = v.pipe(v.number(), v.integer())
const positive = v.pipe(integer, v.minValue(1))

/** Parameters of a tool that runs commands. Unknown ones are refused, defaults filled in. */
export function executeSchema(facts: ToolFacts) {
  const next = v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(maxLines - 1))
  const { modes, network, like, background } = facts
  const entries = {
    command: v.string(),
    timeout_ms: v.optional(about(positive, parameterTexts.timeoutMs(facts)), facts.defaultTimeoutMs),
    scratchpad: v.optional(about(v.string(), parameterTexts.scratchpad)),
    cwd: v.optional(v.string()),
    private_tmp: v.optional(about(v.boolean(), parameterTexts.privateTmp)),
    next: v.optional(about(next, parameterTexts.next)),
    ignore_errors: v.optional(about(v.boolean(), parameterTexts.ignoreErrors)),
    ...(background && { background: v.optional(about(v.boolean(), parameterTexts.background)) }),
  }
  const options = { withheld: network === true ? undefined : 'network', isBare: like !== undefined }
  if (modes.length < 2) return parameters(entries, options)
  return parameters({ mode: v.optional(v.picklist(modes), modes[0]), ...entries }, options)
}

export const readSchema = parameters({
  name: v.optional(v.string()),
  unit: v.optional(v.picklist(['lines', 'bytes']), 'lines'),
  offset: v.optional(about(integer, parameterTexts.offset)),
  limit: v.optional(positive),
})

export const readFileSchema = parameters({
  path: v.string(),
  offset: v.optional(about(integer, parameterTexts.offset)),
  limit: v.optional(positive),
})

export function writeFileSchema(modes: ToolFacts['modes']) {
  return parameters({ ...choiceOf(modes), path: v.string(), content: v.string() })
}

export function editFileSchema(modes: ToolFacts['modes']) {
  const entries = { path: v.string(), old_string: v.string(), new_string: v.string() }
  return parameters({ ...choiceOf(modes), ...entries, replace_all: v.optional(v.boolean()) })
}

/** Where a tool serves several modes, the strictest unless the call names another. */
function choiceOf(modes: ToolFacts['modes']): v.ObjectEntries {
  return modes.length > 1 ? { mode: v.optional(v.picklist(modes), modes[0]) } : {}
}

/** What `--structured` returns besides the text: the fields of the result, and those of the lines after it. */
export const resultSchema = toStandardJsonSchema(
  v.looseObject({ output: v.string(), exitCode: v.nullable(v.number()), signal: v.nullable(v.string()) }),
)

export function about<S extends v.GenericSchema>(schema: S, text: string) {
  return v.pipe(schema, v.description(text))
}

/**
 * Names the known keys where one is missing or unknown.
 * @param withheld one that only the user can set
 * @param isBare listed without descriptions; `isShort`: without what it refuses
 */
function parameters<const E extends v.ObjectEntries>(
  entries: E,
  {
    withheld,
    ...form
  }: { readonly withheld?: string | undefined; readonly isBare?: boolean; readonly isShort?: boolean } = {},
) {
  const known = Object.keys(entries)
  const all = `parameters are ${known.join(', ') || 'none'}`
  const refusal = (issue: v.StrictObjectIssue) => {
    const name = String(issue.path?.[0].key)
    if (issue.received === 'undefined') return `it is required; the ${all}`
    if (name === withheld)
      return 'a call cannot allow the network; only the user can, with [shell] network = true or vitrine mcp --network'
    const nearest = nearestKey(name, known)
    const meant = nearest === undefined ? '; the' : `; did you mean ${nearest}? The`
    return `there is no such parameter${meant} ${all}`
  }
  return listed(v.strictObject(entries, refusal), form)
}

/** Of a small tool: what is not known is refused, and that is not said with each request of a model. */
export function shortParameters<const E extends v.ObjectEntries>(entries: E) {
  return parameters(entries, { isShort: true })
}

/** Names no dialect: MCP has a default. */
function listed<S extends v.GenericSchema>(
  schema: S,
  { isBare = false, isShort = false }: { readonly isBare?: boolean; readonly isShort?: boolean },
) {
  const { '~standard': standard } = toStandardJsonSchema(schema)
  const input: typeof standard.jsonSchema.input = (options) => {
    const { $schema: _, required, additionalProperties, ...rest } = standard.jsonSchema.input(options)
    const shown = {
      ...rest,
      ...(Array.isArray(required) && required.length > 0 && { required }),
      ...(!isShort && { additionalProperties }),
    }
    return isBare ? withoutDescriptions(shown) : shown
  }
  return { '~standard': { ...standard, jsonSchema: { ...standard.jsonSchema, input } } }
}

function withoutDescriptions(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'description' ? undefined : value)))
}
