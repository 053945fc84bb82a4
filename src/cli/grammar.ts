import { attachable } from '../attach/names.ts'
import { words } from '../base/text.ts'
import { modes } from '../internal.ts'
import { clientNames } from '../mcp/install/clients.ts'

/** Completion distinguishes the kinds of values; the parser refuses an empty `file` or `directory`. */
export type OptionKind =
  | 'flag'
  | 'flag or full'
  | 'value'
  | 'file'
  | 'directory'
  | 'variables'
  | 'values'
  | readonly string[]

export type OptionKinds = Readonly<Record<string, OptionKind>>

/** After a command's options: a line or program after `--`, a file, a saved output, a command in the background, or one of a few words. */
export type Words = 'command' | 'file' | 'output' | 'job' | readonly string[]

/** What may follow a command. Both the parser and shell completion use it. */
export interface Grammar {
  readonly options: OptionKinds
  readonly words?: Words
  readonly commands?: Readonly<Record<string, Grammar>>
}

const flags = (names: string) => Object.fromEntries(words(names).map((name) => [name, 'flag' as const]))
const where = { config: 'file', cwd: 'directory' } as const
const backend = ['local', 'docker'] as const
const shell = ['sh', 'bash'] as const
const held = ['read', 'workspace'] as const
/** What a command may read, change and connect to. */
const reach = { ...flags('network private-tmp'), 'allow-host': 'values', backend } as const
const server = {
  mode: [...modes, 'both'],
  approve: ['client', 'elicit', 'none'],
  files: 'flag',
  shell,
  ...reach,
} as const

export const grammar = {
  run: {
    options: {
      ...where,
      ...reach,
      ...flags('write merged pty ask each keep-going background'),
      mode: modes,
      timeout: 'value',
      env: 'variables',
      shell,
      scratchpad: 'value',
      workspace: 'directory',
      json: 'flag or full',
      owner: 'value',
    },
    words: 'command',
  },
  shell: { options: { ...where, ...reach, ...flags('write ask'), mode: modes, workspace: 'directory' } },
  policy: {
    options: {},
    commands: {
      check: { options: { ...where, ...flags('write json'), mode: modes, backend, shell }, words: 'command' },
      list: { options: { ...where, json: 'flag' } },
    },
  },
  config: {
    options: {},
    commands: {
      show: { options: { ...where, json: 'flag' } },
      path: { options: {} },
      init: { options: {}, words: 'file' },
      trust: { options: {}, words: 'file' },
      schema: { options: {} },
    },
  },
  mcp: {
    options: {
      ...where,
      ...server,
      ...flags('tool-per-mode structured'),
      workspace: 'directory',
      http: 'value',
    },
    commands: { install: { options: { ...server, print: 'flag', write: 'flag' }, words: clientNames } },
  },
  scratchpad: {
    options: {},
    commands: {
      list: { options: { json: 'flag' } },
      show: { options: {}, words: 'output' },
      clear: { options: {} },
    },
  },
  ps: { options: { json: 'flag' } },
  logs: { options: { follow: 'flag' }, words: 'job' },
  stop: { options: {}, words: 'job' },
  docker: {
    options: {},
    commands: {
      build: { options: { config: 'file', json: 'flag' } },
      status: { options: { config: 'file', json: 'flag' } },
      clean: { options: { config: 'file', json: 'flag' } },
    },
  },
  doctor: { options: { json: 'flag', backend } },
  attach: {
    options: { mode: held, ...flags('list managed json') },
    words: attachable,
  },
  detach: { options: {}, words: attachable },
  sh: { options: { client: attachable, mode: held, project: 'directory' }, words: 'command' },
  hook: { options: { mode: held }, words: attachable },
  completion: { options: {}, words: ['bash', 'zsh', 'fish'] },
} as const satisfies Readonly<Record<string, Grammar>>
