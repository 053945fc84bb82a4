import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { ownMarker } from '../helpers/markers.ts'
import { aliveWith, survivors } from '../helpers/processes.ts'
import { caller, connect, eras } from './connect.ts'

const names = ['read_command', 'stop_command', 'list_commands']

type Server = Awaited<ReturnType<typeof serve>>

async function serve(era: (typeof eras)[number], args: readonly string[] = ['--mode', 'write']) {
  const connected = await connect(args, { era })
  const tool = (name: string) => caller(connected.client, name)
  return { ...connected, read: tool('read_command'), stop: tool('stop_command'), all: tool('list_commands') }
}

describe.each(eras)('background commands for a client of the %s era', (era) => {
  it.each([
    [['--mode', 'read'], [], []],
    [['--mode', 'read,workspace'], names, ['execute_command_workspace']],
    [['--mode', 'both', '--tool-per-mode'], names, ['execute_command_write']],
  ])('%j offers %j, and background to %j', async (args, offered, takers) => {
    const { client } = await connect(args, { era })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).filter((name) => names.includes(name))).toEqual(offered)
    const takes = tools.filter(({ inputSchema }) => 'background' in (inputSchema.properties ?? {}))
    expect(takes.map(({ name }) => name)).toEqual(takers)
    const [first = ''] = tools.map(({ name }) => name).filter((name) => !takers.includes(name))
    if (first === 'execute_command')
      expect(await caller(client, first)({ command: 'true', background: true })).toMatchObject({
        isError: true,
      })
    if (offered.length === 0)
      expect(JSON.stringify(tools)).not.toMatch(/background|read_command|stop_command/)
  })

  it('start, are read bit by bit, awaited, listed and stopped', async () => {
    const marker = ownMarker()
    const { run, read, stop, all } = await serve(era)
    const line = `echo up; read x < fifo; echo "got $x"; sleep ${marker}`
    await run({ command: 'mkfifo fifo' })
    const started = await run({ command: line, background: true })
    expect(started).toMatchObject({ isError: false, text: 'up\n[bg1 is running]' })
    expect((await read({ id: 'bg1' })).text).toBe('(no new output)\n[bg1 is running]')
    await run({ command: 'echo this > fifo' })
    expect((await read({ id: 'bg1', until: 'got this' })).text).toBe('got this\n[bg1 is running]')
    expect((await all({})).text).toMatch(/^bg1 {2}running for \d+ s {2}write mode {2}echo up; read/)
    expect(aliveWith(marker)).not.toEqual([])
    expect((await stop({ id: 'bg1' })).text).toBe('(no new output)\n[bg1 has ended]\n[cancelled]')
    expect(await survivors(marker)).toEqual([])
    expect((await all({})).text).toMatch(/^bg1 {2}ended/)
  })

  it.each([
    ['echo why; exit 3', 'why\n[bg1 has ended]\n[exit code: 3]'],
    ['true', '(no new output)\n[bg1 has ended]\n[exit code: 0]'],
  ])('%s ends at once: the answer to the start says so', async (command, text) => {
    const { run } = await serve(era)
    expect(await run({ command, background: true })).toMatchObject({ isError: false, text })
  })

  it('half a character comes whole with the next answer, and timeout_ms holds', async () => {
    const { run, read } = await serve(era)
    const command = "printf 'a\\303'; sleep 3; printf '\\251b'; sleep 60"
    expect((await run({ command, background: true, timeout_ms: 4500 })).text).toBe('a\n[bg1 is running]')
    expect((await read({ id: 'bg1', wait_ms: 30_000 })).text).toContain('\u00e9b')
    expect((await read({ id: 'bg1', until: 'never' })).text).toContain('timed out')
  })

  it('much output is shown at both ends, and is in the scratchpad at the end', async () => {
    const { run, read, stop, client } = await serve(era)
    await run({ command: 'mkfifo go' })
    await run({ command: 'read x < go; seq 100000; read x < go', background: true, scratchpad: 'log' })
    await run({ command: 'echo > go' })
    await read({ id: 'bg1', until: '\n100000\n' })
    const { text } = await stop({ id: 'bg1' })
    expect(text).toMatch(/\[output: 588\.9 kB, saved whole to scratchpad "log" at \S+\]$/)
    const last = await caller(client, 'read_scratchpad')({ name: 'log', offset: -1 })
    expect(last.text).toMatch(/^100000\n/)
  })

  it.each([
    ['an unknown id', (tools: Server) => tools.read({ id: 'bg9' }), 'no background command "bg9"'],
    [
      'a list',
      ({ run }: Server) => run({ command: 'true', background: true, next: ['true'] }),
      'takes one line',
    ],
    ['what the policy denies', ({ run }: Server) => run({ command: 'rm -rf /', background: true }), 'DENIED'],
  ])('%s is an error that says why', async (_, call, said) => {
    const answer = await call(await serve(era))
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(said) })
  })

  it('hold no turn, 16 at once, and end with their session', async () => {
    const marker = ownMarker()
    const { run, client, read } = await serve(era)
    const start = () => run({ command: `sleep ${marker}`, background: true })
    const started = await Promise.all(Array.from({ length: 16 }, start))
    expect(started.every(({ isError }) => !isError)).toBe(true)
    expect(await start()).toMatchObject({
      isError: true,
      text: expect.stringContaining('16 background commands'),
    })
    expect((await run({ command: 'echo x' })).text).toBe('x\n')
    expect((await read({ id: 'bg16' })).isError).toBe(false)
    await client.close()
    expect(await survivors(marker)).toEqual([])
  })

  it.runIf(process.platform === 'linux')('the answer names addresses at which they listen', async () => {
    const home = new Home()
    mkdirSync(join(home.directory, 'in'))
    const { client } = await connect(['--mode', 'workspace', '--workspace', 'in'], { era, home })
    const serving = `require('net').createServer().listen(0, '127.0.0.1', () => console.log('up'))`
    const run = caller(client, 'execute_command')
    await run({ command: `node -e "${serving}"`, cwd: 'in', background: true })
    const { text } = await caller(client, 'list_commands')({})
    expect(text).toMatch(
      /^bg1 {2}running for \d+ s {2}workspace mode {2}listening at 127\.0\.0\.1:\d+ {2}node/,
    )
  })
})
