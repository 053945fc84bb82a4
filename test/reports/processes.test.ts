import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ended, Home, wrote } from '../cli/vitrine.ts'
import { aliveWith, makeMarker, survivors, waitFor } from '../helpers/processes.ts'
import { isInstalled } from '../helpers/programs.ts'
import { type Report, reports } from './case.ts'

const home = new Home()

/** Longer than any of these commands may take: who waits for it fails by the test's own limit. */
const long = makeMarker()
const [inRead, inWorkspace, inWrite] = [makeMarker(), makeMarker(), makeMarker()]

const table: readonly Report[] = [
  {
    name: 'R14 git commit without -m fails at once in place of waiting in an editor',
    script: `mkdir bin; for name in vi editor nano; do
        printf '#!/bin/sh\\nexec sleep ${long}\\n' > bin/$name; chmod +x bin/$name
      done
      repository .; echo 1 > f; git add f
      TERM=xterm PATH="$d/bin:$PATH" vitrine run --mode workspace --timeout 30s -- 'git commit'; echo $?`,
    async check({ stdout }) {
      expect(stdout).not.toContain('124')
      expect(Number(stdout.trim().split('\n').at(-1))).toBeGreaterThan(0)
      expect(await survivors(long)).toEqual([])
    },
  },
  {
    name: 'R31 a background process keeps no call from its end, and no held mode leaves one',
    script: `git init -q .
      for m in read workspace; do
        vitrine run --mode $m -- '(while :; do echo tick; sleep 1; done) & echo fg' | head -1
        vitrine run --mode $m -- 'setsid nohup sleep '$([ $m = read ] && echo ${inRead} || echo ${inWorkspace})' & echo pid'
      done`,
    async check(ran) {
      expect(ran.stdout).toMatch(/^(?:fg|tick)\npid\n(?:fg|tick)\npid\n$/)
      expect(await survivors(inRead)).toEqual([])
      expect(await survivors(inWorkspace)).toEqual([])
    },
  },
  {
    name: 'R31 write mode leaves a background process, and says how to end it',
    script: `git init -q .; vitrine run --mode write -- 'sleep ${inWrite} & echo fg'`,
    async check(ran) {
      const left = aliveWith(inWrite)
      const [, group] = /kill -- -(\d+)/.exec(ran.stderr) ?? []
      process.kill(-Number(group), 'SIGKILL')
      expect(ran).toMatchObject({ code: 0, stdout: 'fg\n' })
      expect(left).toHaveLength(1)
      expect(await survivors(inWrite)).toEqual([])
    },
  },
  {
    name: 'R32 what a command wrote before its deadline is there',
    script: `vitrine run --timeout 1s -- 'echo CRITICAL; echo err >&2; sleep ${long}'; echo $?`,
    check(ran) {
      expect(ran).toMatchObject({ stdout: 'CRITICAL\n124\n' })
      expect(ran.stderr).toMatch(/^err\n/)
    },
  },
  {
    name: 'R32 a deadline ends what ignores SIGTERM and left the session',
    script: `vitrine run --timeout 1s -- 'trap "" TERM; (trap "" TERM; setsid sleep ${long}) & sleep ${long}'; echo $?`,
    async check(ran) {
      expect(ran).toMatchObject({ stdout: '124\n' })
      expect(await survivors(long)).toEqual([])
    },
  },
  {
    name: 'R36 an open FIFO as input keeps no command from its end; a question finds no answer',
    script: `mkfifo p; exec 9<>p
      vitrine run -- 'echo hi' < p
      vitrine run -- 'read -r a; echo "got:$a:$?"' </dev/null`,
    ran: { code: 0, stdout: 'hi\ngot::1\n', stderr: '' },
  },
  {
    name: 'R45 a command cannot end what runs it',
    script: `git init -q .
      vitrine run -- 'kill -9 $PPID; echo still'
      vitrine run --mode workspace -- 'exec sh -c "kill -9 \\$PPID; echo still"'`,
    check(ran) {
      expect(ran).toMatchObject({ code: 0, stdout: 'still\nstill\n' })
      expect(ran.stderr.match(/mode refuses to signal pid/g)).toHaveLength(2)
    },
  },
]

reports(home, table, isInstalled)

describe('signals', () => {
  it('R19 a second SIGTERM ends a command that ignores the first', async () => {
    const child = home.start([
      'run',
      '--timeout',
      '60s',
      '--',
      'trap "echo got" TERM; echo up; while :; do sleep 0.1; done',
    ])
    const end = ended(child)
    await wrote(child, 'up\n')
    child.kill('SIGTERM')
    await wrote(child, 'got\n')
    child.kill('SIGTERM')
    const { code, signal } = await end
    expect(code === 137 || signal === 'SIGKILL').toBe(true)
  })

  it('R52 nothing outlives a server that is killed', async () => {
    const marker = makeMarker()
    const directory = join(home.directory, 'served')
    mkdirSync(directory)
    writeFileSync(join(directory, 'f'), '')
    const server = home.start(['mcp', '--mode', 'read'], { cwd: directory, stdio: ['pipe', 'pipe', 'pipe'] })
    const say = (message: object) =>
      server.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    }
    say({ id: 1, method: 'initialize', params })
    await wrote(server, '"id":1')
    say({ method: 'notifications/initialized' })
    const command = `setsid sleep ${marker} & sleep ${marker}`
    say({ id: 2, method: 'tools/call', params: { name: 'execute_command', arguments: { command } } })
    const sleeping = () => aliveWith(`sleep\0${marker}`).length >= 2
    expect(await waitFor(sleeping)).toBe(true)
    const end = once(server, 'exit')
    server.kill('SIGKILL')
    await end
    expect(await survivors(marker)).toEqual([])
  })
})
