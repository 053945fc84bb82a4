import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { nearestKey } from '../internal.ts'
import { parameterTexts, type ToolFacts } from '../messages/tool.ts'

/** Lines of one call. Each may need a question, and a call has 8 at most. */
const maxLines = 8

const integer = v.pipe(v.number(), v.integer())
const positive = v.pipe(integer, v.minValue(1))

/** Parameters of `execute_command`. Unknown ones are refused, defaults filled in. */
export function executeSchema(facts: ToolFacts) {
  const next = v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(maxLines - 1))
  const entries = {
    command: about(v.string(), parameterTexts.command),
    timeout_ms: v.optional(about(positive, parameterTexts.timeoutMs(facts)), facts.defaultTimeoutMs),
    scratchpad: v.optional(about(v.string(), parameterTexts.scratchpad)),
    cwd: v.optional(about(v.string(), parameterTexts.cwd)),
    private_tmp: v.optional(about(v.boolean(), parameterTexts.privateTmp)),
    next: v.optional(about(next, parameterTexts.next)),
    ignore_errors: v.optional(about(v.boolean(), parameterTexts.ignoreErrors)),
  }
  return parameters(entries, facts.network === true ? undefined : 'network')
}

export const readSchema = parameters({
  name: about(v.string(), 'The name of the saved output, from a result or list_scratchpad.'),
  unit: v.optional(about(v.picklist(['lines', 'bytes']), 'What offset and limit count.'), 'lines'),
  offset: v.optional(
    about(
      integer,
      'Lines or bytes to skip at the beginning; a negative number counts from the end (-100: the last 100). Default 0.',
    ),
  ),
  limit: v.optional(
    about(positive, 'The number of lines or bytes to read. Default: as many as can be shown at once.'),
  ),
})

/** The parameters of `read_scratchpad`, with defaults filled in. */
export type ReadArguments = NonNullable<(typeof readSchema)['~standard']['types']>['output']

export const emptySchema = parameters({})

/** What `--structured` returns besides the text: the fields of the result, and those of the lines after it. */
export const resultSchema = toStandardJsonSchema(
  v.looseObject({ output: v.string(), exitCode: v.nullable(v.number()), signal: v.nullable(v.string()) }),
)

function about<S extends v.GenericSchema>(schema: S, text: string) {
  return v.pipe(schema, v.description(text))
}

/** Names the known keys where one is missing or unknown; `withheld`: one that only the user can set. */
function parameters<const E extends v.ObjectEntries>(entries: E, withheld?: string) {
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
  return toStandardJsonSchema(v.strictObject(entries, refusal))
}
