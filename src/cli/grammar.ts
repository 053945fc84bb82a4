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

/** After a command's options: a line or program after `--`, a file, a saved output, or one of a few words. */
export type Words = 'command' | 'file' | 'output' | readonly string[]

/** What may follow a command. Both the parser and shell completion use it. */
export interface Grammar {
  readonly options: OptionKinds
  readonly words?: Words
  readonly commands?: Readonly<Record<string, Grammar>>
}

const where = { config: 'file', cwd: 'directory' } as const
const backend = ['local', 'docker'] as const
const shell = ['sh', 'bash'] as const
/** What a command may read, change and connect to. */
const reach = { network: 'flag', 'allow-host': 'values', 'private-tmp': 'flag', backend } as const
const server = {
  mode: [...modes, 'both'],
  approve: ['client', 'elicit', 'none'],
  shell,
  ...reach,
} as const

export const grammar = {
  run: {
    options: {
      ...where,
      mode: modes,
      write: 'flag',
      timeout: 'value',
      env: 'variables',
      shell,
      ...reach,
      merged: 'flag',
      pty: 'flag',
      ask: 'flag',
      each: 'flag',
      'keep-going': 'flag',
      scratchpad: 'value',
      workspace: 'directory',
      json: 'flag or full',
    },
    words: 'command',
  },
  shell: {
    options: {
      ...where,
      mode: modes,
      write: 'flag',
      ...reach,
      ask: 'flag',
      workspace: 'directory',
    },
  },
  policy: {
    options: {},
    commands: {
      check: {
        options: {
          ...where,
          mode: modes,
          write: 'flag',
          json: 'flag',
          backend,
          shell,
        },
        words: 'command',
      },
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
    options: { ...where, ...server, workspace: 'directory', structured: 'flag', http: 'value' },
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
  docker: {
    options: {},
    commands: {
      build: { options: { config: 'file', json: 'flag' } },
      status: { options: { config: 'file', json: 'flag' } },
      clean: { options: { config: 'file', json: 'flag' } },
    },
  },
  doctor: { options: { json: 'flag', backend } },
  completion: { options: {}, words: ['bash', 'zsh', 'fish'] },
} as const satisfies Readonly<Record<string, Grammar>>

/** The commands that take an option, as they are typed. */
export function takersOf(option: string): readonly string[] {
  return takersIn(grammar, option, 'vitrine')
}

function takersIn(commands: Readonly<Record<string, Grammar>>, option: string, above: string): string[] {
  return Object.entries(commands).flatMap(([name, { options, commands = {} }]) => {
    const own = `${above} ${name}`
    const below = takersIn(commands, option, own)
    return Object.hasOwn(options, option) ? [own, ...below] : below
  })
}
