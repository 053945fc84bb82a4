import { spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import type { Result } from '../../src/base/types.ts'
import type { ShellOptions } from '../../src/host/shell-options.ts'
import type { User } from '../attacks/table.ts'
import { credentials } from './other-users.ts'
import { makeDirectory } from './place.ts'
import { builtLibrary } from './programs.ts'

/** Runs what it reads, and prints the results. */
const host = `
import { readFileSync } from 'node:fs'
const { library, tasks, timeoutMs } = JSON.parse(readFileSync(0, 'utf8'))
const { openShell } = await import(library)
const all = []
for (const { options, commands, mayBeRefused } of tasks) {
  const shell = await openShell(options)
  const results = []
  for (const argv of commands) {
    const result = shell.execute({ argv, timeoutMs })
    results.push(await (mayBeRefused ? result.catch(({ code }) => ({ code })) : result))
  }
  all.push(results)
  await shell.close()
}
console.log(JSON.stringify(all))`

/** Commands that run one after the other in one shell. */
export interface Task {
  readonly options: ShellOptions
  readonly commands: readonly (readonly string[])[]
  /** A command that vitrine does not run is no error. */
  readonly mayBeRefused?: boolean
}

interface HostStart {
  /** What stands before the host's own command line. */
  readonly wrapper?: readonly string[] | undefined
  /** For each command. Default 50 s. */
  readonly timeoutMs?: number
  /** TMPDIR. Default: one of its own, with a long path. */
  readonly temporary?: string
}

export type Errand = Task & HostStart

/** Runs commands from a process of that user's, one after the other. This process does not wait: its servers go on. */
export async function runAs(user: User, { options, commands, ...start }: Errand): Promise<Result[]> {
  const [results = []] = await runTasksAs(user, [{ options, commands }], start)
  return results
}

/** The same in one process with a shell for each task. Returns the results of each task. */
export async function runTasksAs(
  user: User,
  tasks: readonly Task[],
  { wrapper = [], timeoutMs = 50_000, temporary = makeTemporary() }: HostStart = {},
): Promise<Result[][]> {
  const library = builtLibrary
  const [program = '', ...words] = [...wrapper, process.execPath, '--input-type=module', '-e', host]
  const child = spawn(program, words, {
    ...credentials(user),
    env: {
      PATH: process.env['PATH'],
      // A program of root's cannot create it.
      HOME: '/dev/null/home',
      XDG_CONFIG_HOME: '/dev/null/home',
      // Outputs are saved there, as there is no HOME.
      TMPDIR: temporary,
    },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ library, tasks, timeoutMs }))
  let text = ''
  for await (const chunk of child.stdout) text += String(chunk)
  return JSON.parse(text) as Result[][]
}

/** For every user, as a wrapper may make the host another one's. */
function makeTemporary(): string {
  const directory = makeDirectory()
  chmodSync(directory, 0o1777)
  return directory
}
