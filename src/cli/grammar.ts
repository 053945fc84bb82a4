import { clientNames } from '../mcp/install/clients.ts'
import type { OptionKinds } from './options.ts'

/** What follows a command's options: a line or a program behind `--`, a file, a saved output, or one of a few words. */
export type Words = 'command' | 'file' | 'output' | readonly string[]

/** What can stand behind a command. Whoever reads its words and whoever completes them takes it from here. */
export interface Grammar {
  readonly options: OptionKinds
  readonly words?: Words
  readonly commands?: Readonly<Record<string, Grammar>>
}

const where = { config: 'file', cwd: 'directory' } as const
const backend = ['local', 'docker'] as const
const server = { mode: ['read', 'write', 'both'], approve: ['client', 'elicit', 'none'] } as const

export const grammar = {
  run: {
    options: {
      ...where,
      write: 'flag',
      timeout: 'value',
      network: 'flag',
      'private-tmp': 'flag',
      merged: 'flag',
      pty: 'flag',
      ask: 'flag',
      each: 'flag',
      scratchpad: 'value',
      workspace: 'directory',
      backend,
      json: 'flag',
    },
    words: 'command',
  },
  shell: {
    options: {
      ...where,
      write: 'flag',
      timeout: 'value',
      network: 'flag',
      'private-tmp': 'flag',
      ask: 'flag',
      workspace: 'directory',
      backend,
    },
  },
  policy: {
    options: {},
    commands: {
      check: {
        options: { ...where, write: 'flag', json: 'flag', workspace: 'directory' },
        words: 'command',
      },
      list: { options: { ...where, json: 'flag' } },
    },
  },
  config: {
    options: {},
    commands: {
      show: { options: { json: 'flag' } },
      path: { options: {} },
      init: { options: {}, words: 'file' },
      trust: { options: {}, words: 'file' },
      schema: { options: {} },
    },
  },
  mcp: {
    options: { ...where, ...server, structured: 'flag', http: 'value' },
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
  doctor: { options: { fix: 'flag', json: 'flag' } },
  completion: { options: {}, words: ['bash', 'zsh', 'fish'] },
} as const satisfies Readonly<Record<string, Grammar>>
