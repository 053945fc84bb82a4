import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { noProcessId } from '../messages/cli/doctor.ts'
import type { Check } from './check.ts'
import { hasEnded, isAlive } from './processes.ts'

/** vitrine's exit code if it started nothing. */
const refused = 125

/** A descriptor that vitrine itself inherited: a command that inherits it could write through it. */
const inherited: Check = {
  right: 'descriptors',
  name: 'write through an inherited descriptor',
  async run({ program: [file, ...args], directory, env }) {
    const command = 'echo x >&3'
    const writes = (name: string, start: readonly [string, readonly string[]]) => {
      const path = join(directory, name)
      const fd = openSync(path, 'w')
      const { stderr, status } = spawnSync(start[0], start[1], {
        cwd: directory,
        env,
        stdio: ['ignore', 'ignore', 'pipe', fd],
      })
      closeSync(fd)
      return { written: statSync(path).size > 0, status, said: String(stderr) }
    }
    const control = writes('control', ['/bin/sh', ['-c', command]])
    if (!control.written) return { state: 'untried', said: control.said }
    const { written, status, said } = writes('inherited', [file, [...args, 'run', '--', command]])
    if (written) return { state: 'open', said }
    return { state: status === refused || status === null ? 'untried' : 'enforced', said }
  },
}

/** Kills the host with SIGKILL, so that it cannot clean up. */
const hostKilled: Check = {
  right: 'death of the host',
  name: 'outlive vitrine when it is killed',
  async run({ program: [file, ...args], directory, env }) {
    const line = 'sleep 120 > /dev/null 2>&1 & echo $!; wait'
    const host = spawn(file, [...args, 'run', '--timeout', '60s', '--', line], {
      cwd: directory,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [said] = await Promise.race([once(host.stdout, 'data'), once(host, 'close')])
    const pid = Number(said)
    const began = Buffer.isBuffer(said) && pid > 1 && isAlive(pid)
    host.kill('SIGKILL')
    if (!began) return { state: 'untried', said: noProcessId }
    const ended = await hasEnded(pid, 5000)
    if (!ended) process.kill(pid, 'SIGKILL')
    return { state: ended ? 'enforced' : 'open', said: '' }
  },
}

export const outsideChecks: readonly Check[] = [inherited, hostKilled]
