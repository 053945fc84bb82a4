import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Refusal } from '../../src/base/refusal.ts'
import { type LoadedConfig, type LoadOptions, loadConfigFiles } from '../../src/config/load.ts'
import { VitrineError } from '../../src/messages/error.ts'
import { makeDirectory } from '../helpers/place.ts'

export type ConfigRefusal = Extract<Refusal, { code: 'CONFIG_INVALID' }>

/** A throw-away home with a git repository `project` in it. */
export interface Place {
  readonly home: string
  readonly project: string
  readonly userFile: string
  readonly projectFile: string
  /** Writes a file, its directories included, and returns its path. */
  write(file: string, content: string | Uint8Array): string
  load(options?: Partial<LoadOptions>): Promise<LoadedConfig>
  /** The refusal that loading ends in; fails when it does not. */
  refusal(options?: Partial<LoadOptions>): Promise<ConfigRefusal>
}

export function makePlace(): Place {
  const home = makeDirectory()
  const project = join(home, 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
  const load = (options: Partial<LoadOptions> = {}) =>
    loadConfigFiles({ cwd: project, env: {}, home, ...options })
  return {
    home,
    project,
    userFile: join(home, '.config', 'vitrine', 'config.toml'),
    projectFile: join(project, '.vitrine.toml'),
    write,
    load,
    refusal: (options) => refusalOf(load(options)),
  }
}

export async function refusalOf(loading: Promise<unknown>): Promise<ConfigRefusal> {
  const error = await loading.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof VitrineError && error.refusal.code === 'CONFIG_INVALID') return error.refusal
  throw new Error('expected CONFIG_INVALID', { cause: error })
}

export const unknown = (nearest?: string) => ({ kind: 'unknown-key', ...(nearest && { nearest }) })
export const wrong = (wanted: string, got: string) => ({ kind: 'wrong-type', wanted, got })
export const bad = (wanted: string, got: string) => ({ kind: 'bad-value', wanted, got })

function write(file: string, content: string | Uint8Array): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}
