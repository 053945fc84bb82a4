import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { processEntry } from '../helpers/processes.ts'
import { compileFixture } from '../helpers/programs.ts'
import { Home, program } from './vitrine.ts'

/** --timeout, kill_grace_ms, and the second that a call may take on top; twice, for a machine that has others to serve. */
const deadline = 2 * (500 + 200 + 1000)

const started: ChildProcess[] = []

afterEach(async () => {
  for (const child of started.splice(0)) {
    child.stdin?.end()
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
})

/** Waits for the number in a file, and for the end of that process. Milliseconds from the one to the other. */
async function lifeOf(file: string, vitrine: ChildProcess): Promise<number> {
  while (!existsSync(file) || !readFileSync(file, 'utf8').endsWith('\n')) {
    if (vitrine.exitCode !== null) throw new Error('vitrine ended before the command began')
    await sleep(10)
  }
  const pid = Number(readFileSync(file, 'utf8'))
  const began = Date.now()
  while (processEntry(pid)?.running && Date.now() - began < 3 * deadline) await sleep(10)
  return Date.now() - began
}

/** Arguments of vitrine for a command that writes its number to a file, and then more than anybody takes. */
function flood(home: Home, options: readonly string[]): { file: string; args: string[] } {
  const file = join(home.directory, 'pid')
  const line = `echo $$ > '${file}'; exec yes`
  return { file, args: [program, 'run', '--write', '--timeout', '500ms', ...options, '--', line] }
}

describe.skipIf(process.platform !== 'linux')('output that nobody takes', () => {
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
    expect(await lifeOf(file, terminal)).toBeLessThan(deadline)
  })

  it('does not keep a command before a pipe beyond its deadline', async () => {
    const home = new Home()
    const { file, args } = flood(home, [])
    // Nobody reads: the stream is never asked for anything.
    const child = spawn(process.execPath, args, {
      cwd: home.directory,
      env: home.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.pause()
    child.stderr.pause()
    started.push(child)
    expect(await lifeOf(file, child)).toBeLessThan(deadline)
  })
})
