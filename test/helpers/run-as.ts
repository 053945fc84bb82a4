import { spawn } from 'node:child_process'
import type { Result } from '../../src/base/types.ts'
import type { ShellOptions } from '../../src/host/shell-options.ts'
import type { User } from '../attacks/table.ts'
import { builtLibrary } from './programs.ts'

/** Runs what it reads, and prints the results. */
const host = `
import { readFileSync } from 'node:fs'
const { library, options, commands, timeoutMs } = JSON.parse(readFileSync(0, 'utf8'))
const { openShell } = await import(library)
const shell = await openShell(options)
const results = []
for (const argv of commands) results.push(await shell.execute({ argv, timeoutMs }))
console.log(JSON.stringify(results))
await shell.close()`

export interface Errand {
  readonly options: ShellOptions
  readonly commands: readonly (readonly string[])[]
  /** What stands before the host's own command line. */
  readonly wrapper?: readonly string[]
  /** For each command. Default 50 s. */
  readonly timeoutMs?: number
}

/** Runs commands from a process of that user's, one after the other. This process does not wait: its servers go on. */
export async function runAs({ uid, gid }: User, errand: Errand): Promise<Result[]> {
  const { options, commands, wrapper = [], timeoutMs = 50_000 } = errand
  const library = builtLibrary()
  const credentials = uid === process.getuid?.() ? {} : { uid, gid }
  const [program = '', ...words] = [...wrapper, process.execPath, '--input-type=module', '-e', host]
  const child = spawn(program, words, {
    ...credentials,
    // A program of root's cannot create it.
    env: { PATH: process.env['PATH'], HOME: '/dev/null/home', XDG_CONFIG_HOME: '/dev/null/home' },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ library, options, commands, timeoutMs }))
  let text = ''
  for await (const chunk of child.stdout) text += String(chunk)
  return JSON.parse(text) as Result[]
}
