import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { BackgroundRequest } from '../../src/request/background.ts'
import { ownMarker } from '../helpers/markers.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { aliveWith, survivors } from '../helpers/processes.ts'
import { isInstalled, readable } from '../helpers/programs.ts'

const linux = process.platform === 'linux'

async function openWorkspace() {
  const cwd = makeDirectory()
  return openTestShell({ mode: 'workspace', cwd, workspace: cwd })
}

const nodeServer = `
  const server = require('node:http').createServer((_, response) => response.end('from node'))
  server.listen(0, '127.0.0.1', () => console.log('listening on ' + server.address().port))`

const python = ['python3', '-u', '-m', 'http.server', '0', '--bind', '127.0.0.1']

describe.runIf(linux)('a server in the background', () => {
  it.each([
    [
      'a Node HTTP server, by its output',
      { argv: ['node', '-e', nodeServer], ready: /listening on \d+/ },
      'from node',
    ],
    ['python http.server, by its socket', { argv: python, ready: 'listening' as const }, 'Directory listing'],
  ])('answers a later command of the shell: %s', async (_, request, answer) => {
    if (request.argv[0] === 'python3' && !isInstalled('python3')) return
    const shell = await openWorkspace()
    const server = await shell.background(request)
    expect(server.listening).toMatchObject([{ address: '127.0.0.1', program: request.argv[0]?.slice(0, 15) }])
    const url = `http://127.0.0.1:${server.listening[0]?.port}/`
    const fetching = `fetch('${url}').then((answer) => answer.text()).then(console.log)`
    expect((await shell.execute({ argv: ['node', '-e', fetching] })).stdout).toContain(answer)
    const result = await server.stop()
    expect(result).toMatchObject({ cancelled: true, timeoutMs: Number.POSITIVE_INFINITY })
    expect(result.listening).toEqual(server.listening)
    expect((await shell.execute({ argv: ['node', '-e', fetching] })).exitCode).not.toBe(0)
  })

  it.each(['workspace', 'write'])('of %s mode does not survive its killed host', async (mode) => {
    const marker = ownMarker()
    const script = join(readable, 'test/fixtures/host/background.mjs')
    const line = `(setsid sleep ${marker} &); echo started; sleep ${marker}`
    const stdio = ['ignore', 'pipe', 'inherit'] as const
    const host = spawn(process.execPath, [script, makeDirectory(), makeDirectory(), mode, line], {
      stdio: [...stdio],
    })
    expect(String((await once(host.stdout, 'data'))[0])).toBe('ready\n')
    expect(aliveWith(marker).length).toBeGreaterThan(0)
    host.kill('SIGKILL')
    expect(await survivors(marker)).toEqual([])
  })

  it('may be awaited by its socket only where commands have sockets of their own', async () => {
    const shell = await openTestShell({ mode: 'write' })
    const starting = shell.background({ command: 'touch made', ready: 'listening' })
    await expect(starting).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(existsSync(join(shell.cwd, 'made'))).toBe(false)
  })
})

describe.runIf(process.platform !== 'win32')('background()', () => {
  it.each([
    [
      'a pattern that comes in parts',
      { ready: /listening on \d+!/g },
      "printf 'listen'; sleep 0.1; printf 'ing on 80!'",
    ],
    ['a pattern on stderr', { ready: /^up$/m }, 'echo no; echo up >&2'],
    ['a function', { ready: (output: string) => output.endsWith('2\n') }, 'echo 1; sleep 0.1; echo 2'],
    ['a pattern beyond what stays in memory', { ready: /^200000$/m }, 'seq 200000'],
  ])('resolves when it is ready, while it runs: %s', async (_, ready, line) => {
    const marker = ownMarker()
    const shell = await openTestShell()
    const command = await shell.background({ command: `${line}; sleep ${marker}`, ...ready })
    expect(aliveWith(marker)).not.toEqual([])
    expect((await command.stop()).cancelled).toBe(true)
    expect(await survivors(marker)).toEqual([])
  })

  it.each([
    ['ends first', { command: 'echo why; exit 3', ready: /up/ }, { exitCode: 3, output: 'why\n' }],
    [
      'is late, and stopped',
      { command: 'echo on; sleep 60', ready: /up/, readyMs: 500 },
      { cancelled: true, output: 'on\n' },
    ],
  ])('rejects with the result of one that %s', async (_, request, result) => {
    const shell = await openTestShell()
    const starting = shell.background(request)
    await expect(starting).rejects.toMatchObject({ name: 'NotReadyError', code: 'NOT_READY', result })
  })

  it.each([
    [{ argv: ['/not/there'] }, 'SPAWN_FAILED'],
    [{ command: 'rm -rf /' }, 'DENIED'],
    [{ command: 'x', ready: 'soon' }, 'INVALID_REQUEST'],
    [{ command: 'x', stdin: 'text' }, 'INVALID_REQUEST'],
    [{ command: 'x', readyMs: 0 }, 'INVALID_REQUEST'],
  ])('throws for %j as execute does: %s', async (request, code) => {
    const shell = await openTestShell({ mode: 'write' })
    await expect(shell.background(request as BackgroundRequest)).rejects.toMatchObject({ code })
  })

  it('has no deadline but its own, which max_timeout_ms does not lower', async () => {
    const shell = await openTestShell({ toml: '[shell]\ntimeout_ms = 300\nmax_timeout_ms = 300\n' })
    const [free, bound] = await Promise.all([
      shell.background({ command: 'sleep 1; echo over' }),
      shell.background({ command: 'sleep 60', timeoutMs: 700 }),
    ])
    expect(await free.result).toMatchObject({ exitCode: 0, output: 'over\n' })
    expect(await bound.result).toMatchObject({ timedOut: true, timeoutMs: 700 })
  })

  it('stop() ends one that ignores SIGTERM, and what it started', async () => {
    const marker = ownMarker()
    const shell = await openTestShell()
    const line = `trap '' TERM; echo up; while :; do sleep ${marker}; done`
    const command = await shell.background({ command: line, ready: /up/ })
    expect(await command.stop()).toMatchObject({ cancelled: true, signal: 'SIGKILL' })
    expect(await survivors(marker)).toEqual([])
    expect((await command.stop()).cancelled).toBe(true)
  })

  it.each([
    ['close()', async (shell: Awaited<ReturnType<typeof openTestShell>>) => shell.close()],
    ['its signal', async (_: unknown, abort: AbortController) => abort.abort()],
  ])('ends with %s', async (_, end) => {
    const marker = ownMarker()
    const shell = await openTestShell({ mode: 'write' })
    const abort = new AbortController()
    const command = await shell.background({ command: `sleep ${marker}` }, { signal: abort.signal })
    await end(shell, abort)
    expect((await command.result).cancelled).toBe(true)
    expect(await survivors(marker)).toEqual([])
  })

  it('an aborted call rejects with its reason, and the command ends', async () => {
    const marker = ownMarker()
    const shell = await openTestShell()
    const abort = new AbortController()
    const options = { signal: abort.signal, onOutput: () => abort.abort(new Error('enough')) }
    const starting = shell.background({ command: `echo; sleep ${marker}`, ready: /never/ }, options)
    await expect(starting).rejects.toThrow('enough')
    expect(await survivors(marker)).toEqual([])
  })

  it('writes a line in the audit log at its end', async () => {
    const path = join(makeDirectory(), 'audit.jsonl')
    const shell = await openTestShell({ toml: `[audit]\npath = ${JSON.stringify(path)}\n` })
    const command = await shell.background({ command: 'echo x' })
    await command.wait()
    await shell.close()
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ command: 'echo x', exitCode: 0 })
  })
})

describe.runIf(process.platform !== 'win32')('the output of a background command', () => {
  it('read() gives what is new, and any part of what came before', async () => {
    const shell = await openTestShell()
    const command = await shell.background({ command: 'cat' })
    await command.write('one\n')
    expect(await command.wait({ output: /one/ })).toBeUndefined()
    expect(await command.read()).toEqual({ text: 'one\n', next: 4, omitted: 0 })
    expect(await command.read()).toEqual({ text: '', next: 4, omitted: 0 })
    await command.write(Buffer.from('zwölf\n'))
    await command.wait({ output: /\n/ })
    expect(await command.read(0, 7)).toEqual({ text: 'one\nzw', next: 6, omitted: 0 })
    expect(await command.read()).toEqual({ text: 'ölf\n', next: 11, omitted: 0 })
    command.endInput()
    expect(await command.wait()).toMatchObject({ exitCode: 0, output: 'one\nzwölf\n' })
    expect((await command.read(4)).text).toBe('zwölf\n')
    await command.write('too late')
  })

  it.each([
    ['saved', {}, 0],
    ['not saved', { save: false }, 1_000],
  ])('is there byte for byte when it is too long for memory, if it is %s', async (_, options, lost) => {
    const shell = await openTestShell()
    const command = await shell.background({ command: 'seq 300000; read wait' }, options)
    await command.wait({ output: /\n300000\n/ })
    let [text, omitted] = ['', 0]
    for (let at = 0; at < 1_988_895; ) {
      const part = await command.read(at, 100_000)
      text += part.text
      omitted += part.omitted
      at = part.next
    }
    expect(text.length + omitted).toBe(1_988_895)
    expect(omitted).toBeGreaterThanOrEqual(lost)
    const whole = Array.from({ length: 300_000 }, (_, at) => `${at + 1}\n`).join('')
    if (lost === 0) expect(text === whole).toBe(true)
    command.endInput()
    await command.wait()
    expect((await command.read(1_988_888)).text).toBe('300000\n')
  })

  it('lines() gives both streams as they come, twice if asked, and holds nothing back', async () => {
    const shell = await openTestShell()
    const command = await shell.background({ command: 'seq 100000; echo end >&2; read wait; printf last' })
    let count = 0
    for await (const line of command.lines()) if (++count > 100_000 && line === 'end') break
    command.endInput()
    const all: string[] = []
    for await (const line of command.lines()) all.push(line)
    expect([count, all.length, all.at(-1)]).toEqual([100_001, 100_002, 'last'])
  })

  it('over [output] max_bytes ends it', async () => {
    const shell = await openTestShell({ toml: '[output]\nmax_bytes = 100000\n' })
    const command = await shell.background({ command: 'yes' })
    expect(await command.wait()).toMatchObject({ outputLimited: true })
  })

  it.each([[[-1]], [['0']], [[0, 0]]])('read(%j) is refused', async (given) => {
    const shell = await openTestShell()
    const command = await shell.background({ command: 'true' })
    const reading = command.read(...(given as number[]))
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(command.wait({ timeoutMs: -1 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('an onOutput that throws ends it: the result rejects, also where it is not awaited', async () => {
    const shell = await openTestShell()
    const onOutput = () => {
      throw new Error('mine')
    }
    const command = await shell.background({ command: 'echo x; sleep 60' }, { onOutput })
    await expect(command.wait()).rejects.toMatchObject({ code: 'LISTENER_FAILED' })
  })
})
