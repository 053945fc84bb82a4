import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { remedies } from '../../src/messages/hints.ts'
import { Home } from '../cli/vitrine.ts'
import { isInstalled } from '../helpers/programs.ts'
import { answering, caller, connect, eras, madeIn, marked } from './connect.ts'

const parameters = `parameters are ${['command', 'timeout_ms', 'scratchpad', 'cwd', 'private_tmp', 'next', 'ignore_errors'].join(', ')}`

describe.each(eras)('execute_command for a client of the %s era', (era) => {
  /** For calls that leave nothing behind. */
  let shared: Awaited<ReturnType<typeof connect>>
  beforeAll(async () => {
    shared = await connect([], { era })
  })

  it('answers with the output alone when there is nothing else to say', async () => {
    const { run } = shared
    expect(await run({ command: 'echo one; echo two >&2; echo three' })).toEqual({
      text: 'one\ntwo\nthree\n',
      isError: false,
      structured: undefined,
    })
  })

  it.each([
    [{ command: 'exit 3' }, '(no output)\n[exit code: 3]'],
    [{ command: 'echo x; kill -SEGV $$' }, 'x\n[killed by SIGSEGV]'],
    [{ command: 'echo x; sleep 30', timeout_ms: 300 }, 'x\n[timed out after 300 ms; terminated]'],
  ])('%j has an answer, and is no error', async (input, text) => {
    expect(await shared.run(input)).toMatchObject({ text, isError: false })
  })

  it('read mode leaves files as they are, and tells what it refused without control characters', async () => {
    const { run, home } = await connect([], { era })
    const { text, isError } = await run({ command: String.raw`touch "$(printf 'a\nb\033[2J')"` })
    expect([isError, madeIn(home.directory)]).toEqual([false, []])
    expect(text).toMatch(/\[exit code: \d+\]/)
    expect(text).toContain(String.raw`[blocked in read mode: create ${home.directory}/a\nb\x1b[2J]`)
  })

  it('--tool-per-mode: a tool each, one scratchpad; both tell of background processes', async () => {
    const { run, write, list, home } = await connect(['--mode', 'both', '--tool-per-mode'], { era })
    const marker = marked()
    const command = `echo x > file; sleep ${marker} > /dev/null 2>&1 &`
    const { text } = await run({ command, scratchpad: 'r' })
    expect(text).toContain('[1 background process was killed when the command ended]')
    expect(existsSync(join(home.directory, 'file'))).toBe(false)
    const group = /\[1 background process is still running: process group (\d+)\]/
    expect((await write({ command, scratchpad: 'w' })).text).toMatch(group)
    expect(existsSync(join(home.directory, 'file'))).toBe(true)
    expect((await list()).text).toMatch(/^r .*\nw /)
  })

  it('output that is too long is shown at both ends and saved whole', async () => {
    const { run } = await connect([], { era })
    const { text, isError } = await run({ command: 'seq 1 100000' })
    const line =
      /\n100000\n\[output: 588\.9 kB, saved whole to scratchpad "output-1" at (\S+); shown: first and last 15000 characters; read the rest with read_scratchpad\]$/
    expect(statSync(line.exec(text)?.[1] ?? '').size).toBe(588_895)
    expect(text).toMatch(/^1\n2\n[\s\S]*\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n/)
    expect([isError, text.length < 31_000]).toEqual([false, true])
  })

  it('binary output is saved and never shown', async () => {
    const { run } = await connect([], { era })
    const { text } = await run({ command: String.raw`printf 'a\000b'`, scratchpad: 'blob' })
    const [, path = ''] = /^\[binary output: 3 bytes, saved to scratchpad "blob" at (\S+)\]$/.exec(text) ?? []
    expect(readFileSync(path)).toEqual(Buffer.from('a\0b'))
  })

  it('a name that is taken gets a suffix, which the answer tells', async () => {
    const { run } = await connect([], { era })
    await run({ command: 'echo 1', scratchpad: 'log' })
    const { text } = await run({ command: 'echo 2', scratchpad: 'log' })
    expect(text).toMatch(
      /^2\n\[output: 2 B, saved whole to scratchpad "log-2" at \S+\]\n\[the name "log" is in use: saved as "log-2"\]$/,
    )
  })

  it('the maximum of the configuration is the one that counts', async () => {
    const { run } = await connect([], { era, toml: '[shell]\nmax_timeout_ms = 400\n' })
    expect((await run({ command: 'sleep 30', timeout_ms: 30_000 })).text).toBe(
      '(no output)\n[timed out after 400 ms; terminated]\n[timeout_ms 30000 exceeds the maximum; 400 was used]',
    )
  })

  const unknown = (meant = '') =>
    `there is no such parameter; ${meant ? `did you mean ${meant}? The` : 'the'} ${parameters}`

  it.each([
    [{}, 'command', `it is required; the ${parameters}`],
    [{ command: 5 }, 'command', 'Invalid type: Expected string but received 5'],
    [{ command: 'x', timeout_ms: 0 }, 'timeout_ms', 'Invalid value: Expected >=1'],
    [{ command: 'x', tty: true }, 'tty', unknown()],
    [{ command: 'x', timeout: 5 }, 'timeout', unknown('timeout_ms')],
    [{ command: 'x', privateTmp: true }, 'privateTmp', unknown('private_tmp')],
    [{ comand: 'x' }, 'comand', unknown('command')],
    [{ command: 'x', network: true }, 'network', 'a call cannot allow the network; only the user can'],
  ])('%j is an error that says what to give', async (input, parameter, wanted) => {
    const answer = await shared.run(input)
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining(`${parameter}: ${wanted}`)])
  })

  it('private_tmp gives that call alone a directory to write to, and nothing else', async () => {
    const { run, home } = await connect([], { era })
    const line = 'd=$(mktemp -d) && echo kept >"$d/file" && cat "$d/file" && echo "$d"'
    const { text } = await run({ command: line, private_tmp: true })
    expect(text).toMatch(/^kept\n\S+\n$/)
    expect(existsSync(text.split('\n')[1] ?? '')).toBe(false)
    const outside = await run({ command: 'echo x >file', private_tmp: true })
    expect(outside.text).toContain('[blocked in read mode: create')
    expect(existsSync(join(home.directory, 'file'))).toBe(false)
    const without = await run({ command: line })
    expect(without.text).toContain('[blocked in read mode: create')
    expect(without.text.toLowerCase()).toContain(remedies.tool.privateTmp)
  })

  it('--structured adds the fields of the result', async () => {
    const { run, client } = await connect(['--structured'], { era })
    expect((await run({ command: 'echo x; exit 3' })).structured).toMatchObject({
      output: 'x\n',
      exitCode: 3,
      signal: null,
      timedOut: false,
      timeoutMs: 30_000,
      bytes: 2,
      mode: 'read',
    })
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'execute_command')?.outputSchema).toBeDefined()
  })
})

describe('the command line of the server', () => {
  it.runIf(isInstalled('python3')).each([
    [['--network'], ''],
    [[], '[shell]\nnetwork = true\n'],
  ])('%j %j opens the network for every call, and a call does not', async (args, toml) => {
    const command = 'python3 -c "import socket; socket.socket(); print(1)"'
    const { run, client } = await connect(args, { toml })
    expect((await client.listTools()).tools[0]?.annotations?.openWorldHint).toBe(true)
    expect((await run({ command })).text).toBe('1\n')
    expect((await (await connect()).run({ command })).text).toContain('[blocked in read mode: socket inet')
  })

  it.runIf(process.platform === 'linux')('--workspace keeps commands of workspace mode in it', async () => {
    const home = new Home()
    mkdirSync(join(home.directory, 'in'))
    const { run } = await connect(['--mode', 'workspace', '--workspace', 'in'], { home })
    expect((await run({ command: 'touch a', cwd: 'in' })).text).toBe('(no output)')
    expect((await run({ command: 'touch ../out', cwd: 'in' })).text).toContain('Permission denied')
    expect([madeIn(join(home.directory, 'in')), madeIn(home.directory)]).toEqual([['a'], ['in']])
  })

  it('--backend docker runs nothing here without an engine; --backend local uses no container', async () => {
    const env = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }
    const { run } = await connect(['--backend', 'docker', '--mode', 'write'], { env })
    const refused = await run({ command: 'echo here' })
    expect(refused.isError).toBe(true)
    expect(refused.text).toMatch(/^SANDBOX_UNAVAILABLE: .*\/nowhere\/docker\.sock/)
    const local = await connect(['--backend', 'local'], { toml: '[shell]\nbackend = "docker"\n', env })
    expect((await local.run({ command: 'echo here' })).text).toBe('here\n')
  })
})

describe('tools/list', () => {
  const held = { readOnlyHint: true, openWorldHint: false }
  const writing = { readOnlyHint: false, destructiveHint: true, openWorldHint: true }
  const background = ['read_command', 'stop_command', 'list_commands']

  it.each([
    [[], '', { execute_command: held }],
    [['--mode', 'both'], '', { execute_command_write: writing }],
    [['--mode', 'both', '--tool-per-mode'], '', { execute_command: held, execute_command_write: writing }],
    [['--mode', 'write'], '', { execute_command: writing }],
  ])('%j %j lists %j: clients run unasked what claims to be read-only', async (args, toml, wanted) => {
    const { client } = await connect(args, { toml: `[shell]\ntimeout_ms = 1234\n${toml}\n` })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      ...Object.keys(wanted),
      'read_scratchpad',
      ...('execute_command_write' in wanted || args[1] === 'write' ? background : []),
    ])
    const first = tools.slice(0, Object.keys(wanted).length)
    expect(first.map(({ annotations }) => annotations)).toEqual(Object.values(wanted))
    expect(tools[0]?.outputSchema).toBeUndefined()
    expect(client.getServerCapabilities()?.tools?.listChanged).toBe(false)
    expect(tools[0]?.inputSchema).toMatchObject({
      type: 'object',
      required: ['command'],
      additionalProperties: false,
      properties: { timeout_ms: { type: 'integer', default: 1234, minimum: 1 } },
    })
  })

  it.each([
    [[], 2600],
    [['--mode', 'read,workspace,write'], 4500],
    [['--mode', 'read,workspace,write', '--tool-per-mode'], 4500],
  ])('%j costs a model, with the instructions, at most %i bytes', async (args, most) => {
    const { client } = await connect(args)
    const listed = JSON.stringify(await client.listTools())
    expect(Buffer.byteLength(`${listed}${client.getInstructions()}`)).toBeLessThanOrEqual(most)
  })
})

describe.each(eras)('one tool of several modes, for a client of the %s era', (era) => {
  it('runs each call in the mode that it names, and else in the strictest', async () => {
    const { write, home } = await connect(['--mode', 'both', '--structured'], { era })
    const make = (name: string, input: object) => write({ command: `echo x > ${name}`, ...input })
    expect((await make('a', {})).structured).toMatchObject({ mode: 'read', exitCode: 2 })
    expect((await make('b', { mode: 'read' })).text).toContain('[blocked in read mode: create')
    expect((await make('c', { mode: 'write' })).structured).toMatchObject({ mode: 'write', exitCode: 0 })
    expect(madeIn(home.directory)).toEqual(['c'])
  })

  it.each([
    ['read,workspace', 'execute_command_workspace'],
    ['read', 'execute_command'],
    ['workspace', 'execute_command'],
  ])('--mode %s refuses a call of a mode that is not served', async (modes, name) => {
    const { client, home } = await connect(['--mode', modes], { era })
    const call = caller(client, name)
    const answer = await call({ command: 'echo x > file', mode: 'write' })
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('mode: ') })
    expect(madeIn(home.directory)).toEqual([])
  })

  it('--approve elicit asks about the call of write mode alone', async () => {
    const { questions, elicit } = answering('n')
    const { write, home } = await connect(['--mode', 'both', '--approve', 'elicit'], { era, elicit })
    expect(await write({ command: 'touch a; echo x' })).toMatchObject({ isError: false })
    expect(questions).toEqual([])
    expect((await write({ command: 'touch a', mode: 'write' })).text).toMatch(/^NOT_APPROVED: /)
    expect([questions.length, madeIn(home.directory)]).toEqual([1, []])
  })
})

describe('a configuration that cannot be used', () => {
  it('is told with each call, until it is mended', async () => {
    const home = new Home()
    const file = home.configure('[shell]\ntimeout_ms = "soon"\n')
    const { run, said, client } = await connect([], { home })
    const answer = await run({ command: 'echo x' })
    expect(answer.isError).toBe(true)
    expect(answer.text.startsWith(`CONFIG_INVALID: ${file}:2:`)).toBe(true)
    expect(said().startsWith(`vitrine: ${file}:2:`)).toBe(true)
    expect((await client.listTools()).tools[0]?.annotations?.readOnlyHint).toBe(false)
    home.configure('[shell]\ntimeout_ms = 5000\n')
    expect((await run({ command: 'echo x' })).text).toBe('x\n')
  })
})
