import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { makeMarker, processEntry, survivors, waitFor } from '../helpers/processes.ts'
import { compileFixture } from '../helpers/programs.ts'
import { ended, Home, program } from './vitrine.ts'

const home = new Home()

/** The most memory (kB) that a process has used: proc_pid_status(5). */
function peak(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

it('a slow reader gets every byte, and memory stays bounded', async () => {
  const total = 300_000_000
  const child = home.start(['run', '--', `yes | head -c ${total}`])
  const reader = child.stdout
  // The output is not read for as long as vitrine would need to take it all in.
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const held = peak(child.pid ?? 0)
  let bytes = 0
  reader?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  const [code] = await once(child, 'close')
  expect({ code, bytes }).toEqual({ code: 0, bytes: total })
  expect(held).toBeLessThan(120_000)
})

it('a reader that goes away ends the command, quietly, as it ends any other', async () => {
  const marker = makeMarker()
  const ran = await home.shell(`{ vitrine run --timeout 60s -- 'yes ${marker}'; echo "$?" >&2; } | head -n 1`)
  expect(ran).toMatchObject({ stdout: `${marker}\n`, stderr: '141\n' })
  expect(await survivors(marker)).toEqual([])
})

it.each([[['run', '--json', '--', 'true']], [['--help']], [['config', 'show']], [['run', 'ls']]])(
  'without any reader %j ends without a stack trace',
  async (args) => {
    const child = home.start(args)
    child.stdout?.destroy()
    child.stderr?.destroy()
    expect((await ended(child)).signal).toBe(null)
  },
)

it('a full disk is told, and the command ended', async () => {
  const ran = await home.shell(`vitrine run --timeout 60s -- yes > /dev/full`)
  expect(ran).toMatchObject({
    code: 125,
    stderr: 'vitrine: The output could not be written (ENOSPC), so vitrine ended the command.\n',
  })
})

it.each([
  'scratchpad show kept',
  'scratchpad list',
  'config show',
  'policy list --json',
  'run --json -- true',
  'policy check -- ls',
  'mcp install claude',
  'completion bash',
  '--version',
])('a full disk is told by vitrine %s, with 125', async (args) => {
  const ran = await home.shell(`vitrine run --scratchpad kept -- 'echo x' 2>&1; vitrine ${args} > /dev/full`)
  expect(ran.code).toBe(125)
  expect(ran.stderr).toContain(`vitrine: The output could not be written (ENOSPC).\n`)
})

describe('output without a reader', async () => {
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
})
