import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeMarker, processEntry, survivors, waitFor } from '../helpers/processes.ts'
import { isInstalled } from '../helpers/programs.ts'
import { ended, Home, program } from './vitrine.ts'

const home = new Home()

/** The most memory (kB) that a process has used: proc_pid_status(5). */
function peak(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

it('a slow reader gets every byte, and memory stays bounded', async () => {
  const total = 300_000_000
  const child = home.start(['run', '--', `yes | head -c ${total}`])
  // The output is not read for as long as vitrine would need to take it all in.
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const held = peak(child.pid ?? 0)
  let bytes = 0
  child.stdout?.on('data', (chunk: Buffer) => {
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
  ...['scratchpad show kept', 'scratchpad list', 'config show', 'policy list --json', 'run --json -- true'],
  ...['policy check -- ls', 'mcp install claude', 'completion bash', '--version'],
])('a full disk is told by vitrine %s, with 125', async (args) => {
  const ran = await home.shell(`vitrine run --scratchpad kept -- 'echo x' 2>&1; vitrine ${args} > /dev/full`)
  expect(ran.code).toBe(125)
  expect(ran.stderr).toContain(`vitrine: The output could not be written (ENOSPC).\n`)
})

/** Runs its arguments at a terminal that no process reads, and that goes away with its own standard input. */
const unread = `
import os, pty, sys
if pty.fork()[0] == 0: os.execv(sys.argv[1], sys.argv[1:])
sys.stdin.read()`

it.runIf(process.platform === 'linux' && isInstalled('python3')).each([
  ['at a terminal', ['python3', '-c', unread, process.execPath], 'inherit', []],
  ['in a terminal of its own', ['python3', '-c', unread, process.execPath], 'inherit', ['--pty']],
  ['before a pipe', [process.execPath], 'pipe', []],
] as const)(
  'output that is never read keeps no command beyond its deadline: %s',
  async (_, before, output, options) => {
    const { directory: cwd, env } = new Home()
    const file = join(cwd, 'pid')
    const line = `echo $$ > '${file}'; exec yes`
    const args = [program, 'run', '--write', '--timeout', '500ms', ...options, '--', line]
    const [first, ...words] = [...before, ...args]
    const vitrine = spawn(first, words, { cwd, env, stdio: ['pipe', output, output] })
    onTestFinished(async () => {
      vitrine.kill('SIGKILL')
      if (vitrine.exitCode === null && vitrine.signalCode === null) await once(vitrine, 'exit')
    })
    const begun = () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')
    expect(await waitFor(begun)).toBe(true)
    const pid = Number(readFileSync(file, 'utf8'))
    expect(await waitFor(() => processEntry(pid)?.running !== true)).toBe(true)
  },
)
