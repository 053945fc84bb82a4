import * as v from 'valibot'
import { fieldOf, integer, oneOf, readFields } from '../internal.ts'

/** A tool in a form that any framework takes: name, description, and parameters as JSON Schema. */
export interface ToolDefinition {
  /** As the model knows it. */
  readonly name: string
  /** What a model is told of it. */
  readonly description: string
  /** The JSON Schema of its parameters: `properties` by name, and those that are `required`. */
  readonly inputSchema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, object>>
    readonly required: string[]
    readonly additionalProperties: false
  }
}

/** A parameter as the model sees it, and as it is checked. */
export interface Parameter {
  readonly json: Readonly<Record<string, unknown>>
  readonly schema: v.GenericSchema
}

export type Parameters = Readonly<Record<string, Parameter>>

/** Frameworks end a call that takes longer, if not earlier. */
const maxWaitMs = 600_000

const made =
  (json: Parameter['json'], schema: Parameter['schema']) =>
  (more: Parameter['json'] = {}): Parameter => ({ json: { ...json, ...more }, schema })

/** Each takes what else its JSON Schema says, for example a description. */
export const parameter = {
  text: made({ type: 'string' }, fieldOf.string),
  flag: made({ type: 'boolean' }, fieldOf.boolean),
  milliseconds: made({ type: 'integer', minimum: 1 }, fieldOf.milliseconds),
  count: made({ type: 'integer', minimum: 1 }, integer(1, Number.MAX_SAFE_INTEGER)),
  wait: made({ type: 'integer', minimum: 0 }, integer(0, maxWaitMs)),
  offset: made({ type: 'integer' }, integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
  oneOf: (...words: readonly string[]) => made({ enum: words }, oneOf(...words)),
}

/** The JSON Schema of an object with these parameters. */
export function schemaOf(parameters: Parameters, required: string[] = []): ToolDefinition['inputSchema'] {
  const properties = Object.fromEntries(Object.entries(parameters).map(([name, { json }]) => [name, json]))
  return { type: 'object', properties, required, additionalProperties: false }
}

/** A model's input. Throws INVALID_REQUEST for an unknown parameter, one of the wrong type, and a missing one. */
export function readInput<T>(input: unknown, parameters: Parameters, required: string[] = []): T {
  const fields = Object.entries(parameters).map(([name, { schema }]) => [
    name,
    required.includes(name) ? schema : v.optional(schema),
  ])
  return readFields('input', input, v.strictObject(Object.fromEntries(fields))) as T
}
