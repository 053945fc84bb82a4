import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Result } from '../../../src/base/types.ts'
import { builtLibrary } from '../../helpers/programs.ts'

const opens = 150_000
const line = `while [ \${i:=0} -lt ${opens} ]; do true > /dev/null || echo refused; i=$((i+1)); done; echo "$i"`

const script = `
import { openShell } from ${JSON.stringify(builtLibrary)}
const shell = await openShell({ mode: 'read' })
await shell.execute({ command: 'true' })
console.log('ready')
const result = await shell.execute({ command: ${JSON.stringify(line)}, timeoutMs: 170_000 })
console.log(JSON.stringify(result))
await shell.close()`

/** Takes the processor from the host for longer than a lookup may wait, again and again, until it has ended. */
async function holdUp(host: ChildProcess): Promise<number> {
  let stops = 0
  for (; stops < 60 && host.exitCode === null && host.signalCode === null; stops++) {
    await wait(7 + (stops % 9))
    host.kill('SIGSTOP')
    await wait(35)
    host.kill('SIGCONT')
  }
  return stops
}

it.skipIf(process.platform !== 'linux')(
  'a host that does not get the processor refuses nothing for it',
  async () => {
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], HOME: '/dev/null/home', XDG_CONFIG_HOME: '/dev/null/home' },
    })
    let text = ''
    host.stdout.on('data', (chunk) => {
      text += String(chunk)
    })
    const ended = once(host.stdout, 'end')
    while (!text.includes('ready\n')) await once(host.stdout, 'data')
    expect(await holdUp(host)).toBeGreaterThan(10)
    await ended
    const { stdout, denials } = JSON.parse(text.replace('ready\n', '')) as Result
    expect(stdout).toBe(`${opens}\n`)
    expect(denials).toEqual([])
  },
)
