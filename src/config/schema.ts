import * as v from 'valibot'
import { modes } from '../base/types.ts'
import { integer, oneOf } from '../request/fields.ts'
import {
  allowRule,
  booleanOrHosts,
  hostList,
  listOf,
  maxBytes,
  maxMs,
  maxOpenFiles,
  maxProcesses,
  mountPaths,
  pathList,
  pathOrEmpty,
  pathsOr,
  pathsWithinOr,
  pattern,
  policyRule,
  programPath,
  protectedNames,
  type Resolve,
  resolvePaths,
  shellProgram,
  stringTable,
  type ToAbsolute,
  textValue,
  trueOrFalse,
} from './field.ts'
import {
  addsAllBut,
  minOrNone,
  oneWay,
  onlyAdds,
  onlyFewerHosts,
  onlySmaller,
  onlyTrusted,
  type ProjectRule,
  userOnly,
} from './tighten.ts'

export interface KeyDefinition<S extends v.GenericSchema = v.GenericSchema> {
  /** The message of each action says which value is wanted. Made for a given value: most starts validate none. */
  schema(): S
  readonly fallback: v.InferOutput<S>
  readonly project: ProjectRule
  /** Makes paths absolute; only keys that hold paths have it. */
  resolve?(value: v.InferOutput<S>, toAbsolute: ToAbsolute): v.InferOutput<S>
}

function key<const S extends v.GenericSchema>(
  schema: () => S,
  fallback: NoInfer<v.InferOutput<S>>,
  project: ProjectRule,
  resolve?: Resolve<NoInfer<v.InferOutput<S>>>,
): KeyDefinition<S> {
  return { schema, fallback, project, ...(resolve && { resolve }) }
}

const commands = () => listOf('a command')
const limit = (most: number, fallback = 0) => key(() => integer(0, most), fallback, minOrNone)

const image = () =>
  pattern('an image such as "debian:12", or empty', /^$|^(?!.*(\.\.|\/\/))[A-Za-z0-9][\w.:/@-]*$/)
const user = () =>
  pattern('an id such as "1000:1000", "owner" or empty', /^$|^owner$|^[0-9]{1,10}(:[0-9]{1,10})?$/)
const instance = () =>
  pattern('1 to 63 letters, digits and dashes, or empty', /^(?:[A-Za-z0-9][A-Za-z0-9-]{0,62})?$/)
const memory = () => pattern('a size such as "512m" or "1g"', /^[1-9][0-9]*[bkmgBKMG]?$/)

/** The source of validation, variables, JSON schema and `config show`; config.example.toml says what each is for. */
const sections = {
  shell: {
    backend: key(() => oneOf('local', 'docker'), 'local', onlyTrusted),
    program: key(shellProgram, 'sh', onlyTrusted, programPath),
    // Not even a tightening: true may demand a sandbox from a host that the user knows to have none.
    sandbox: key(trueOrFalse, true, onlyTrusted),
    mode: key(() => oneOf(...modes), 'read', oneWay('write', 'workspace', 'read')),
    timeout_ms: key(() => integer(1, maxMs), 30_000, onlySmaller),
    max_timeout_ms: key(() => integer(1, maxMs), 600_000, onlySmaller),
    kill_grace_ms: key(() => integer(0, 600_000), 200, onlySmaller),
    network: key(booleanOrHosts, false, onlyFewerHosts),
    own_sockets: key(trueOrFalse, true, oneWay(true, false)),
    private_tmp: key(trueOrFalse, false, oneWay(true, false)),
    reads: key(() => oneOf('everywhere', 'workspace'), 'everywhere', oneWay('everywhere', 'workspace')),
    unreadable: key(
      () => pathsOr('secrets'),
      [],
      onlyAdds,
      resolvePaths((path) => path === 'secrets'),
    ),
  },
  workspace: {
    writable: key(pathList, [], userOnly, resolvePaths()),
    protected: key(
      () => pathsWithinOr('default'),
      ['default'],
      onlyAdds,
      resolvePaths((path) => !path.startsWith('~')),
    ),
    on_protected: key(() => oneOf('deny', 'ask'), 'deny', userOnly),
    new: key(protectedNames, [], userOnly),
  },
  network: {
    deny: key(() => hostList(), [], onlyAdds),
    ask: key(trueOrFalse, false, userOnly),
  },
  env: {
    inherit: key(() => oneOf('auto', 'listed', 'all'), 'auto', oneWay('all', 'auto', 'listed')),
    pass: key(() => listOf('a variable name'), [], onlyTrusted),
    set: key(stringTable, {}, onlyTrusted),
  },
  policy: {
    preset: key(() => oneOf('open', 'default', 'analysis'), 'default', oneWay('open', 'default', 'analysis')),
    pipes: key(trueOrFalse, false, oneWay(true, false)),
    allow: key(commands, [], onlyTrusted),
    ask: key(commands, [], onlyAdds),
    deny: key(commands, [], onlyAdds),
    safe: key(commands, [], onlyTrusted),
    auto_confirm: key(trueOrFalse, false, userOnly),
    unattended: key(() => oneOf('allow', 'deny'), 'allow', oneWay('allow', 'deny')),
    rule: key(
      () => v.array(policyRule(), 'a list of [[policy.rule]] tables'),
      [],
      addsAllBut((rule) => v.is(allowRule(), rule)),
    ),
  },
  output: {
    inline_max_chars: key(() => integer(1, 16_777_216), 30_000, onlySmaller),
    max_bytes: limit(maxBytes, 1_073_741_824),
  },
  limits: {
    memory_bytes: limit(maxBytes),
    cpu_seconds: limit(maxMs),
    processes: limit(maxProcesses),
    open_files: limit(maxOpenFiles),
    private_tmp_bytes: limit(maxBytes, 1_073_741_824),
  },
  docker: {
    image: key(image, '', onlyTrusted),
    mounts: key(() => listOf('a path'), [], userOnly, mountPaths),
    user: key(user, '', onlyTrusted),
    memory: key(memory, '1g', onlyTrusted),
  },
  http: {
    instance: key(instance, '', userOnly),
    hosts: key(() => listOf('a host name'), [], userOnly),
    origins: key(() => listOf('an origin'), [], userOnly),
    tokens: key(() => textValue('a path'), '', userOnly, pathOrEmpty),
    sessions: key(() => integer(1, 100_000), 1000, userOnly),
    idle_ms: key(() => integer(1, maxMs), 1_800_000, userOnly),
    turns: key(() => integer(1, 10_000), 32, userOnly),
    drain_ms: key(() => integer(0, maxMs), 10_000, userOnly),
  },
  audit: {
    path: key(() => textValue('a path'), '', onlyTrusted, pathOrEmpty),
    required: key(trueOrFalse, false, onlyTrusted),
    max_bytes: key(() => integer(0, maxBytes), 104_857_600, onlyTrusted),
  },
} as const

type Sections = typeof sections
export type SectionName = keyof Sections

type Output<F> = F extends KeyDefinition<infer S> ? v.InferOutput<S> : never
type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/** A configuration by section and key, named as in TOML: `config.shell.timeout_ms`. Paths are absolute. `config.example.toml` describes every key. */
export type Config = {
  readonly [S in SectionName]: {
    readonly [K in keyof Sections[S]]: DeepReadonly<Output<Sections[S][K]>>
  }
}

/** A dotted key, for example `shell.timeout_ms`. */
export type ConfigKey = {
  [S in SectionName]: `${S}.${Extract<keyof Config[S], string>}`
}[SectionName]

/** The type of the value of a key. */
export type ConfigValue<K extends ConfigKey> = K extends `${infer S extends SectionName}.${infer N}`
  ? N extends keyof Config[S]
    ? Config[S][N]
    : never
  : never

export interface KeyEntry extends KeyDefinition {
  readonly key: ConfigKey
  readonly section: SectionName
  readonly name: string
}

export const sectionNames = Object.keys(sections) as readonly SectionName[]

function entriesOf(section: SectionName): [string, KeyEntry][] {
  const definitions: Readonly<Record<string, KeyDefinition>> = sections[section]
  return Object.entries(definitions).map(([name, definition]) => {
    const key = `${section}.${name}` as ConfigKey
    return [key, Object.assign(definition, { key, section, name })]
  })
}

/** By dotted name, in the order of the table. */
export const keyEntries: ReadonlyMap<string, KeyEntry> = new Map(sectionNames.flatMap(entriesOf))
