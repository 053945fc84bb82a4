import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home, program } from '../cli/vitrine.ts'
import { aliveWith, processEntry, survivors, waitFor } from '../helpers/processes.ts'
import { callOf, connect, eras, initialize, marked, speakTo } from './connect.ts'

/** A command that goes on with a child in the background and one in a session of its own. */
function endless(): { readonly marker: string; readonly command: string } {
  const marker = marked()
  return { marker, command: `sleep ${marker} & setsid sleep ${marker} & sleep ${marker}` }
}

const alive = (pid: number) => {
  const entry = processEntry(pid)
  return entry !== undefined && entry.state !== 'Z'
}

describe.each(['read', 'write'])('the end of a server in %s mode', (mode) => {
  /** A server with a command that runs, spoken to by hand. */
  async function serve() {
    const { marker, command } = endless()
    const { server, say, exited } = speakTo(['--mode', mode])
    for (const message of [initialize, callOf(2, command)]) say(message)
    expect(await waitFor(() => aliveWith(marker).length >= 3)).toBe(true)
    return { server, marker, exited }
  }

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('%s: it exits, and nothing is left', async (signal) => {
    const { server, marker, exited } = await serve()
    server.kill(signal)
    expect(await exited).toEqual([0, null])
    expect(await survivors(marker, 0)).toEqual([])
  })

  it('the client is killed: server and commands are gone within 2 s', async () => {
    const { marker, command } = endless()
    const home = new Home()
    const script = join(home.directory, 'client.mjs')
    writeFileSync(script, clientScript)
    const messages = [initialize, callOf(2, command)].map((message) => JSON.stringify(message))
    const args = [script, program, mode, ...messages]
    const client = spawn(process.execPath, args, { env: home.env, stdio: ['ignore', 'pipe', 'inherit'] })
    const [pid] = await once(client.stdout, 'data')
    expect(await waitFor(() => aliveWith(marker).length >= 3)).toBe(true)
    client.kill('SIGKILL')
    await once(client, 'exit')
    expect(await survivors(marker)).toEqual([])
    expect(await waitFor(() => !alive(Number(pid)))).toBe(true)
  })
})

/** A client in a process of its own; it prints the server's pid. */
const clientScript = `
import { spawn } from 'node:child_process'
const [program, mode, ...messages] = process.argv.slice(2)
const server = spawn(process.execPath, [program, 'mcp', '--mode', mode], { stdio: ['pipe', 'ignore', 'ignore'] })
server.stdin.write(messages.join('\\n') + '\\n')
console.log(server.pid)
setInterval(() => {}, 1000)
`

describe.each(eras)('for a client of the %s era', (era) => {
  it('cancelling a call kills everything that its command started', async () => {
    const { run } = await connect([], { era })
    const { marker, command } = endless()
    const stop = new AbortController()
    const call = run({ command }, { signal: stop.signal })
    expect(await waitFor(() => aliveWith(marker).length >= 3)).toBe(true)
    stop.abort()
    await expect(call).rejects.toThrow()
    expect(await survivors(marker)).toEqual([])
    expect((await run({ command: 'echo next' })).text).toBe('next\n')
  })

  it('progress tells the time, the bytes and the last line, and grows', async () => {
    const { run, home } = await connect([], { era })
    const told: { progress: number; message?: string | undefined }[] = []
    const onprogress = (progress: { progress: number; message?: string | undefined }) => told.push(progress)
    const running = run(
      { command: 'printf "1\\n\\033[2m23\\tx\\n"; until [ -e seen ]; do sleep 0.05; done' },
      { onprogress },
    )
    // The first may come before the output does.
    const withOutput = () =>
      told.filter(({ message = '' }) => /^running for [\d.]+ s, 11 B of output: 23\\tx$/.test(message))
    expect(await waitFor(() => withOutput().length >= 2)).toBe(true)
    writeFileSync(join(home.directory, 'seen'), '')
    await running
    const steps = told.map(({ progress }) => progress)
    for (const [at, step] of steps.entries()) expect(step).toBeGreaterThan(steps[at - 1] ?? 0)
  })
})
