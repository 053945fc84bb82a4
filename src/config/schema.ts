import * as v from 'valibot'
import { wanted } from '../messages/wanted.ts'
import {
  allowRule,
  boolean,
  defineKey,
  integer,
  type KeyDefinition,
  listOf,
  maxBytes,
  maxMs,
  maxProcesses,
  minOrNone,
  mountsKey,
  oneOf,
  oneWay,
  onlyAdds,
  onlySmaller,
  onlyTrusted,
  pathKey,
  pattern,
  policyRule,
  userOnly,
} from './field.ts'
import { envKeys, networkSection, shellKeys, workspaceKeys } from './keys.ts'

const dockerKeys = {
  image: defineKey(
    'Image of the container; empty: the image of "vitrine docker build".',
    () => pattern('an image such as "debian:12", or empty', /^$|^(?!.*(\.\.|\/\/))[A-Za-z0-9][\w.:/@-]*$/),
    '',
    onlyTrusted,
  ),
  mounts: mountsKey(
    'Paths shown besides the workspace: PATH[:ro|:rw]; paths of your home directory appear in HOME. Read mode never writes there.',
    userOnly,
  ),
  user: defineKey(
    'User of commands: an id such as "1000:1000", "owner" (of the workspace); empty: yours.',
    () => pattern('an id such as "1000:1000", "owner" or empty', /^$|^owner$|^[0-9]{1,10}(:[0-9]{1,10})?$/),
    '',
    onlyTrusted,
  ),
  memory: defineKey(
    'Memory of the container, with the suffix b, k, m or g.',
    () => pattern('a size such as "512m" or "1g"', /^[1-9][0-9]*[bkmgBKMG]?$/),
    '1g',
    onlyTrusted,
  ),
} as const

// What systemd raises sysctl fs.nr_open to: half of the kernel's bound (fs/file.c, sysctl_nr_open_max).
const maxOpenFiles = 1_073_741_816

const limitKeys = {
  memory_bytes: defineKey('Memory of a command, in bytes.', () => integer(0, maxBytes), 0, minOrNone),
  cpu_seconds: defineKey('CPU time of a command, in seconds.', () => integer(0, maxMs), 0, minOrNone),
  processes: defineKey(
    'Processes of a command at the same time.',
    () => integer(0, maxProcesses),
    0,
    minOrNone,
  ),
  open_files: defineKey('Open files of each process.', () => integer(0, maxOpenFiles), 0, minOrNone),
  private_tmp_bytes: defineKey(
    'Size of the private TMPDIR, in bytes.',
    () => integer(0, maxBytes),
    1_073_741_824,
    minOrNone,
  ),
} as const

/** The source of validation, variables, JSON schema and `config show`. */
export const sections = {
  shell: {
    about: 'How commands run.',
    keys: shellKeys,
  },
  workspace: {
    about:
      'What workspace mode may change: the directory of --workspace, else the git repository, else the directory; and a private TMPDIR.',
    keys: workspaceKeys,
  },
  network: networkSection,
  env: {
    about: 'The environment of commands. PATH, HOME, LANG and the like always pass.',
    keys: envKeys,
  },
  policy: {
    about: 'Which commands run without a question, which are asked about, which never run.',
    keys: {
      preset: defineKey(
        'The built-in rules: default; open, with only the deny list; analysis, where only listed programs run.',
        () => oneOf('open', 'default', 'analysis'),
        'default',
        oneWay('open', 'default', 'analysis'),
      ),
      pipes: defineKey(
        'Preset analysis: allow pipes between its programs, and output to /dev/null (2>/dev/null).',
        boolean,
        false,
        oneWay(true, false),
      ),
      allow: defineKey(
        'Commands that run without a question, by their first words: in write mode unsandboxed.',
        () => listOf(wanted.command),
        [],
        onlyTrusted,
      ),
      ask: defineKey(
        'Commands to ask about, by their first words.',
        () => listOf(wanted.command),
        [],
        onlyAdds,
      ),
      deny: defineKey(
        'Commands that never run, by their first words.',
        () => listOf(wanted.command),
        [],
        onlyAdds,
      ),
      safe: defineKey(
        "Replaces the preset's safe list, by first words: what runs held in read mode without a question. Empty: the preset's.",
        () => listOf(wanted.command),
        [],
        onlyTrusted,
      ),
      auto_confirm: defineKey(
        'true: commands run that would be asked about. Denied commands stay denied.',
        boolean,
        false,
        userOnly,
      ),
      unattended: defineKey(
        'The verdict on a command that would be asked about, when there is no approver.',
        () => oneOf('allow', 'deny'),
        'allow',
        oneWay('allow', 'deny'),
      ),
      rule: defineKey(
        '[[policy.rule]] tables: prefix (words), verdict, reason, and example command lines that must match or not.',
        () => v.array(policyRule(), 'a list of [[policy.rule]] tables'),
        [],
        { kind: 'union', loosens: (rule) => v.is(allowRule(), rule) },
      ),
    },
  },
  output: {
    about: 'How much output a result contains.',
    keys: {
      inline_max_chars: defineKey(
        'Characters of a stream that the result contains; longer output is saved in the scratchpad.',
        () => integer(1, 16_777_216),
        30_000,
        onlySmaller,
      ),
      max_bytes: defineKey(
        'Output that ends the command, in bytes; 0: no limit.',
        () => integer(0, maxBytes),
        1_073_741_824,
        minOrNone,
      ),
    },
  },
  limits: { about: 'Limits for each command, in every mode; 0: no limit.', keys: limitKeys },
  docker: {
    about: 'The container of the docker backend.',
    keys: dockerKeys,
  },
  audit: {
    about: 'A log with one JSON line per command.',
    keys: {
      path: pathKey('File to append to (docs/audit.md); empty: no log.', onlyTrusted),
      required: defineKey(
        'true: a command whose line cannot be written does not run.',
        boolean,
        false,
        onlyTrusted,
      ),
      max_bytes: defineKey(
        'Size at which the log is rotated, in bytes; 0: never.',
        () => integer(0, maxBytes),
        104_857_600,
        onlyTrusted,
      ),
    },
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

/** By section and key, named as in TOML. Paths are absolute. */
export type Config = {
  readonly [S in SectionName]: {
    readonly [K in keyof Sections[S]['keys']]: DeepReadonly<Output<Sections[S]['keys'][K]>>
  }
}

/** A dotted key, for example `shell.timeout_ms`. */
export type ConfigKey = {
  [S in SectionName]: `${S}.${Extract<keyof Config[S], string>}`
}[SectionName]

export type ConfigValue<K extends ConfigKey> = K extends `${infer S extends SectionName}.${infer N}`
  ? N extends keyof Config[S]
    ? Config[S][N]
    : never
  : never

export interface KeyEntry extends Omit<KeyDefinition, 'resolve'> {
  readonly resolve: KeyDefinition['resolve']
  readonly key: ConfigKey
  readonly section: SectionName
  readonly name: string
}

function entriesOf(section: SectionName): KeyEntry[] {
  const fields: Readonly<Record<string, KeyDefinition>> = sections[section].keys
  // Each property by itself: V8 takes 0.3 ms to spread the fields.
  return Object.entries(fields).map(([name, { about, schema, fallback, project, resolve }]) => ({
    about,
    schema,
    fallback,
    project,
    resolve,
    key: `${section}.${name}` as ConfigKey,
    section,
    name,
  }))
}

export const sectionNames = Object.keys(sections) as readonly SectionName[]

/** By dotted name, in the order of the table. */
export const keyEntries: ReadonlyMap<string, KeyEntry> = new Map(
  sectionNames.flatMap(entriesOf).map((entry) => [entry.key, entry]),
)

/** The schema of a whole config file; config.schema.json is generated from it. */
export function documentSchema() {
  const tables = sectionNames.map((section) => [section, v.optional(sectionSchema(section))])
  return v.strictObject(Object.fromEntries(tables) as Record<SectionName, v.GenericSchema>)
}

function sectionSchema(section: SectionName) {
  const entries = [...keyEntries.values()].filter((entry) => entry.section === section)
  const properties = entries.map((entry) => [entry.name, propertySchema(entry)])
  const table = v.strictObject(Object.fromEntries(properties) as Record<string, v.GenericSchema>)
  return v.pipe(table, v.description(sections[section].about))
}

function propertySchema({ schema, about, fallback }: KeyEntry) {
  return v.optional(v.pipe(schema(), v.description(about)), () => fallback)
}
