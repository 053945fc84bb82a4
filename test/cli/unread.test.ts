import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { processEntry, waitFor } from '../helpers/processes.ts'
import { compileFixture } from '../helpers/programs.ts'
import { Home, program } from './vitrine.ts'

const started: ChildProcess[] = []

afterEach(async () => {
  for (const child of started.splice(0)) {
    child.stdin?.end()
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
})

/** Waits for the number in a file; then whether that process ends, which by itself it never does. */
async function ends(file: string, vitrine: ChildProcess): Promise<boolean> {
  while (!existsSync(file) || !readFileSync(file, 'utf8').endsWith('\n')) {
    if (vitrine.exitCode !== null) throw new Error('vitrine ended before the command began')
    await sleep(10)
  }
  const pid = Number(readFileSync(file, 'utf8'))
  return waitFor(() => processEntry(pid)?.running !== true)
}

/** Arguments of vitrine for a command that writes its number to a file, and then endless output. */
function flood(home: Home, options: readonly string[]): { file: string; args: string[] } {
  const file = join(home.directory, 'pid')
  const line = `echo $$ > '${file}'; exec yes`
  return { file, args: [program, 'run', '--write', '--timeout', '500ms', ...options, '--', line] }
}

describe.skipIf(process.platform !== 'linux')('output that is never read', () => {
  it.each([
    ['to one stream', []],
    ['in a terminal of its own', ['--pty']],
  ])('does not keep a command at a terminal beyond its deadline: %s', async (_, options) => {
    const home = new Home()
    const { file, args } = flood(home, options)
    const terminal = spawn(compileFixture('unread'), [process.execPath, ...args], {
      cwd: home.directory,
      env: home.env,
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    started.push(terminal)
    expect(await ends(file, terminal)).toBe(true)
  })

  it('does not keep a command before a pipe beyond its deadline', async () => {
    const home = new Home()
    const { file, args } = flood(home, [])
    // The stream is never read.
    const child = spawn(process.execPath, args, {
      cwd: home.directory,
      env: home.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.pause()
    child.stderr.pause()
    started.push(child)
    expect(await ends(file, child)).toBe(true)
  })
})
