import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Refusal, RequestProblem } from '../../src/base/refusal.ts'
import type { Outcome, Result } from '../../src/base/types.ts'
import { prefixed } from '../../src/cli/output.ts'
import { afterLines } from '../../src/cli/run/result.ts'
import { describeRefusal } from '../../src/messages/refusal.ts'
import { makeDirectory } from '../helpers/place.ts'
import { readable } from '../helpers/programs.ts'

/** The command line as it is built. */
export const program = join(readable, 'dist/cli.cjs')

export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly bytes: Buffer
}

interface RunOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string | Buffer
  readonly uid?: number
  readonly stdio?: SpawnOptions['stdio']
}

/** A directory with an empty configuration and an empty state, for commands to run in. */
export class Home {
  readonly directory = makeDirectory()
  readonly env: NodeJS.ProcessEnv

  constructor() {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITRINE_'))
    this.env = {
      ...Object.fromEntries(own),
      HOME: this.directory,
      XDG_CONFIG_HOME: join(this.directory, '.config'),
      XDG_STATE_HOME: join(this.directory, '.state'),
      NODE_PROGRAM: process.execPath,
      CLI_PROGRAM: program,
    }
  }

  /** Writes the user's configuration. */
  configure(toml: string): string {
    mkdirSync(join(this.directory, '.config/vitrine'), { recursive: true })
    const file = join(this.directory, '.config/vitrine/config.toml')
    writeFileSync(file, toml)
    return file
  }

  /** Starts the command line; its input is /dev/null unless `stdio` says otherwise. */
  start(args: readonly string[], { cwd, env, uid, stdio }: RunOptions = {}): ChildProcess {
    return spawn(process.execPath, [program, ...args], {
      cwd: cwd ?? this.directory,
      env: { ...this.env, ...env },
      stdio: stdio ?? ['ignore', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    })
  }

  /** Runs the command line to its end. */
  run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const child = this.start(args, options.input === undefined ? options : { ...options, stdio: 'pipe' })
    if (options.input !== undefined) child.stdin?.end(options.input)
    return ended(child)
  }

  /** Runs a line for sh in which `vitrine` is the command line. */
  shell(line: string, options: RunOptions = {}): Promise<Ran> {
    const vitrine = 'vitrine() { "$NODE_PROGRAM" "$CLI_PROGRAM" "$@"; }'
    const child = spawn('sh', ['-c', `${vitrine}\n${line}`], {
      cwd: options.cwd ?? this.directory,
      env: { ...this.env, ...options.env },
      stdio: options.stdio ?? ['ignore', 'pipe', 'pipe'],
    })
    return ended(child)
  }
}

/** What the command line writes, and how it ends, when it refuses. */
export function refused(refusal: Refusal): Pick<Ran, 'code' | 'stdout' | 'stderr'> {
  return { code: 125, stdout: '', stderr: prefixed(describeRefusal(refusal)) }
}

/** The same for a command line that cannot be understood; `told`: a part of what is said. */
export function misused(told: string): Pick<Ran, 'code' | 'stdout'> & { readonly stderr: unknown } {
  return { code: 125, stdout: '', stderr: expect.stringContaining(told) }
}

/** The same for a request that is refused before anything starts; only `vitrine run` says that nothing ran. */
export function invalid(problem: RequestProblem, command = 'run'): ReturnType<typeof refused> {
  const told = refused({ code: 'INVALID_REQUEST', problem })
  return command === 'run' ? told : { ...told, stderr: told.stderr.replace(' The command did not run.', '') }
}

/** What stands on stderr behind a command that ended so. */
export function endLines(outcome: Outcome): string {
  const nothing: Pick<Result, 'denials' | 'handoffs'> = { denials: [], handoffs: [] }
  return afterLines({ outcome, ...nothing } as Result)
    .map(prefixed)
    .join('')
}

/** The `error` that `--json` prints on stdout. */
export function errorOf({ stdout }: Ran): { readonly code: string; readonly [fact: string]: unknown } {
  return JSON.parse(stdout).error
}

/** Everything a process wrote, and how it ended. */
export async function ended(child: ChildProcess): Promise<Ran> {
  const pieces: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk: Buffer) => pieces[name].push(chunk))
  // EPIPE: it ended without reading everything.
  child.stdin?.on('error', () => {})
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  const bytes = Buffer.concat(pieces.stdout)
  return { code, signal, bytes, stdout: String(bytes), stderr: String(Buffer.concat(pieces.stderr)) }
}

/** Resolves when the process has written the text to stdout. */
export function wrote(child: ChildProcess, text: string): Promise<void> {
  let seen = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += String(chunk)
      if (seen.includes(text)) resolve()
    })
    child.once('close', () => reject(new Error(`ended without writing ${text}, after ${seen}`)))
  })
}
