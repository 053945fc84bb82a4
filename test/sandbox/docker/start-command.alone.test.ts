import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startFailed } from '../../../src/messages/docker.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { answering, commandIn, eventually, missingEngine } from './engine.ts'

const missing = missingEngine()
const skipped = missing === null ? '' : ` (skipped: ${missing})`

/** A `docker` that says whether there is an engine at its socket. */
function client(): string {
  const bin = makeDirectory()
  const script = `#!/bin/sh
if test -S "$(echo "$DOCKER_HOST" | cut -c8-)"; then echo "ready: $*"; else echo "none: $*"; fi
`
  writeFileSync(join(bin, 'docker'), script)
  chmodSync(join(bin, 'docker'), 0o755)
  return bin
}

/** A shell of this machine in write mode whose start command is a script. */
async function openWith(start: (directory: string) => string) {
  const directory = makeDirectory()
  const script = join(directory, 'start')
  writeFileSync(script, `#!/bin/sh\necho start >> ${directory}/starts\n${start(directory)}\n`)
  chmodSync(script, 0o755)
  const command = `PATH=$PATH:/usr/sbin:/sbin ${script}`
  const shell = await openTestShell({
    mode: 'write',
    toml: `[docker]\nstart_command = "${command}"\n[env]\npass = ["DOCKER_HOST"]\n`,
    env: {
      DOCKER_HOST: `unix://${join(directory, 'docker.sock')}`,
      PATH: `${client()}:${process.env['PATH']}`,
    },
  })
  const starts = () => {
    const file = join(directory, 'starts')
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
  }
  return { shell, directory, starts, command }
}

describe('a start command that brings no engine up', () => {
  it.each([
    { command: 'docker ps' },
    { argv: ['docker', 'ps'] as [string, ...string[]] },
    { command: 'ls; sudo docker compose up -d' },
    { command: "sh -c 'docker run x'" },
  ])('is one error before %j, which does not run', async (request) => {
    const { shell, starts, command: start } = await openWith(() => 'exit 3')
    await expect(shell.execute(request)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: {
        for: 'engine',
        remedy: startFailed(start, '').remedy,
        got: expect.stringMatching(/\b3\b/),
      },
    })
    expect(starts()).toBe(1)
  })

  it('is not run in read mode, or for an engine elsewhere', async () => {
    const { shell, starts } = await openWith(() => 'exit 3')
    shell.mode = 'read'
    await shell.execute({ command: 'docker ps' })
    const toml = '[docker]\nstart_command = "exit 3"\n[env]\npass = ["DOCKER_HOST"]\n'
    const env = { DOCKER_HOST: 'tcp://192.0.2.1:2375', PATH: `${client()}:${process.env['PATH']}` }
    const other = await openTestShell({ mode: 'write', toml, env })
    expect((await other.execute({ command: 'docker ps' })).stdout).toBe('none: ps\n')
    expect(starts()).toBe(0)
  })
})

describe.skipIf(missing !== null)(`a start command that brings one up${skipped}`, () => {
  it('runs before the first docker command, and not before the next', async () => {
    const { shell, directory, starts } = await openWith((place) => {
      const words = commandIn(place).map((word) => `'${word}'`)
      return `exec ${words.join(' ')} > ${place}/log 2>&1`
    })
    try {
      const first = await shell.execute({ command: 'docker ps', timeoutMs: 60_000 })
      expect(first.stdout).toBe('ready: ps\n')
      await answering(join(directory, 'docker.sock'))
      expect((await shell.execute({ command: 'docker images' })).stdout).toBe('ready: images\n')
      expect(starts()).toBe(1)
    } finally {
      const pid = Number(readFileSync(join(directory, 'dockerd.pid'), 'utf8'))
      process.kill(pid, 'SIGTERM')
      await eventually(() => !existsSync(`/proc/${pid}`), 'the engine has ended')
      execFileSync('rm', ['-rf', join(directory, 'data')])
    }
  })
})
