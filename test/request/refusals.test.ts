import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TerminalApproverOptions, terminalApprover } from '../../src/admit/terminal.ts'
import type { RequestProblem } from '../../src/base/refusal.ts'
import type { LoadOptions } from '../../src/config/load.ts'
import { loadConfig } from '../../src/host/load-config.ts'
import { VitrineError } from '../../src/messages/error.ts'
import { loweredTimeoutHint } from '../../src/messages/refusal.ts'
import type { ExecuteRequest } from '../../src/request/request.ts'
import { openShell, type Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

/** MAX_ARG_STRLEN of linux/binfmts.h, its NUL left out. */
const longest = 32 * 4096 - 1

let cwd: string
let shell: Shell

beforeAll(async () => {
  cwd = makeDirectory()
  writeFileSync(join(cwd, 'file'), '')
  shell = await openTestShell({ mode: 'write', cwd })
})

interface BadRequest {
  readonly what: string
  /** `{witness}` stands for a file that the command would make. */
  readonly request: unknown
  readonly problem: Partial<RequestProblem>
}

const touch = 'touch {witness}'

const badRequests: readonly BadRequest[] = [
  { what: 'no command', request: {}, problem: { kind: 'blank-command' } },
  { what: 'an empty command', request: { command: '' }, problem: { kind: 'blank-command' } },
  { what: 'a blank command', request: { command: ' \t\n ' }, problem: { kind: 'blank-command' } },
  { what: 'an empty argv', request: { argv: [] }, problem: { kind: 'blank-command' } },
  { what: 'an argv without a program', request: { argv: ['', 'x'] }, problem: { kind: 'blank-command' } },
  {
    what: 'both command and argv',
    request: { command: touch, argv: ['touch', '{witness}'] },
    problem: { kind: 'command-and-argv' },
  },
  {
    what: 'a NUL byte in the command',
    request: { command: `${touch}\0` },
    problem: { kind: 'nul-byte', field: 'command' },
  },
  {
    what: 'a NUL byte in an argument',
    request: { argv: ['touch', '{witness}', 'a\0b'] },
    problem: { kind: 'nul-byte', field: 'argv[2]' },
  },
  {
    what: 'a NUL byte in cwd',
    request: { command: touch, cwd: 'a\0b' },
    problem: { kind: 'nul-byte', field: 'cwd' },
  },
  {
    what: 'a command over the limit of one argument',
    request: { command: `${touch}; : ${'x'.repeat(longest)}` },
    problem: { kind: 'too-long', field: 'command', limit: longest },
  },
  {
    what: 'an over-long command counted in bytes, not characters',
    request: { command: `${touch}; : ${'é'.repeat(longest / 2)}` },
    problem: { kind: 'too-long', field: 'command', limit: longest },
  },
  {
    what: 'an over-long argument',
    request: { argv: ['touch', '{witness}', 'x'.repeat(longest + 1)] },
    problem: { kind: 'too-long', field: 'argv[2]', limit: longest },
  },
  {
    what: 'a cwd that is missing',
    request: { command: touch, cwd: 'no/such' },
    problem: { kind: 'cwd', reason: 'missing' },
  },
  {
    what: 'a cwd that is a file',
    request: { command: touch, cwd: 'file' },
    problem: { kind: 'cwd', reason: 'not-a-directory' },
  },
  {
    what: 'a cwd below a file',
    request: { command: touch, cwd: 'file/x' },
    problem: { kind: 'cwd', reason: 'not-a-directory' },
  },
  {
    what: 'timeout 0',
    request: { command: touch, timeoutMs: 0 },
    problem: { kind: 'out-of-range', field: 'timeoutMs', got: '0' },
  },
  {
    what: 'a negative timeout',
    request: { command: touch, timeoutMs: -1 },
    problem: { kind: 'out-of-range', field: 'timeoutMs', got: '-1' },
  },
  {
    what: 'a timeout that is NaN',
    request: { command: touch, timeoutMs: Number.NaN },
    problem: { kind: 'wrong-type', field: 'timeoutMs', got: 'NaN' },
  },
  {
    what: 'a timeout that is text',
    request: { command: touch, timeoutMs: '5' },
    problem: { kind: 'wrong-type', field: 'timeoutMs' },
  },
  {
    what: 'a command that is no string',
    request: { command: 5 },
    problem: { kind: 'wrong-type', field: 'command', got: '5' },
  },
  {
    what: 'variables as a Map',
    request: { command: touch, env: new Map([['A', '1']]) },
    problem: { kind: 'wrong-type', field: 'env', got: 'Map' },
  },
  {
    what: 'an argv that is a string',
    request: { argv: 'ls' },
    problem: { kind: 'wrong-type', field: 'argv' },
  },
  {
    what: 'an argument that is no string',
    request: { argv: ['touch', 5] },
    problem: { kind: 'wrong-type', field: 'argv[1]' },
  },
  {
    what: 'a stdin that is none',
    request: { command: touch, stdin: {} },
    problem: { kind: 'wrong-type', field: 'stdin' },
  },
  {
    what: 'a descriptor that is none',
    request: { command: touch, stdin: -1 },
    problem: { kind: 'wrong-type', field: 'stdin' },
  },
  {
    what: 'a descriptor that no system has',
    request: { command: touch, stdin: 2 ** 53 },
    problem: { kind: 'wrong-type', field: 'stdin' },
  },
  {
    what: 'a stdin with only the name of a method of streams',
    request: { command: touch, stdin: { pipe() {} } },
    problem: { kind: 'wrong-type', field: 'stdin' },
  },
  {
    what: 'a stdin that can only be written to',
    request: { command: touch, stdin: new Writable() },
    problem: { kind: 'wrong-type', field: 'stdin' },
  },
  {
    what: 'merged that is no boolean',
    request: { command: touch, merged: 1 },
    problem: { kind: 'wrong-type', field: 'merged' },
  },
  {
    what: 'an unknown option',
    request: { command: touch, shell: true },
    problem: { kind: 'unknown-option', field: 'shell' },
  },
  {
    what: 'a misspelt option',
    request: { command: touch, timeout_ms: 5 },
    problem: { kind: 'unknown-option', field: 'timeout_ms', nearest: 'timeoutMs' },
  },
  {
    what: 'a mode, with where it belongs',
    request: { command: touch, mode: 'write' },
    problem: { kind: 'unknown-option', field: 'mode', place: expect.stringContaining('shell.mode') },
  },
  {
    what: 'a signal, with where it belongs',
    request: { command: touch, signal: AbortSignal.abort() },
    problem: { kind: 'unknown-option', field: 'signal', place: expect.stringContaining('options.signal') },
  },
  {
    what: 'an onOutput, with where it belongs',
    request: { command: touch, onOutput() {} },
    problem: {
      kind: 'unknown-option',
      field: 'onOutput',
      place: expect.stringContaining('options.onOutput'),
    },
  },
  {
    what: 'cmd in place of command, with where it belongs',
    request: { cmd: touch },
    problem: { kind: 'unknown-option', field: 'cmd', place: expect.stringContaining('"command"') },
  },
  {
    what: 'args in place of argv, with where it belongs',
    request: { args: [touch] },
    problem: { kind: 'unknown-option', field: 'args', place: expect.stringContaining('"argv"') },
  },
  {
    what: 'an approver, with where it belongs',
    request: { command: touch, approver() {} },
    problem: { kind: 'unknown-option', field: 'approver', place: expect.stringContaining('openShell()') },
  },
  {
    what: 'a pty, with where it belongs',
    request: { command: touch, pty: true },
    problem: { kind: 'unknown-option', field: 'pty', place: expect.stringContaining('start()') },
  },
  {
    what: 'a line, which nothing takes',
    request: { command: touch, line: {} },
    problem: expect.not.objectContaining({ place: expect.anything() }),
  },
  {
    what: 'a scratchpad name with a path',
    request: { command: touch, scratchpad: '../x' },
    problem: { kind: 'out-of-range', field: 'scratchpad' },
  },
  {
    what: 'an empty scratchpad name',
    request: { command: touch, scratchpad: '' },
    problem: { kind: 'out-of-range', field: 'scratchpad' },
  },
  {
    what: 'a misspelt command',
    request: { comand: touch },
    problem: { kind: 'unknown-option', field: 'comand', nearest: 'command' },
  },
  {
    what: 'an unknown option that is undefined',
    request: { command: touch, tty: undefined },
    problem: { kind: 'unknown-option', field: 'tty' },
  },
  {
    what: 'an endless deadline before now',
    request: { command: touch, timeoutMs: Number.NEGATIVE_INFINITY },
    problem: { kind: 'out-of-range', field: 'timeoutMs', got: '-Infinity' },
  },
  {
    what: 'a bigint',
    request: { command: touch, timeoutMs: 5n },
    problem: { kind: 'wrong-type', field: 'timeoutMs', got: 'bigint' },
  },
  {
    what: 'an argument that is left out',
    request: { argv: Object.assign(['touch'], { 2: '{witness}' }) },
    problem: { kind: 'wrong-type', field: 'argv[1]' },
  },
  {
    what: 'a private tmp that is no boolean',
    request: { command: touch, privateTmp: 'yes' },
    problem: { kind: 'wrong-type', field: 'privateTmp' },
  },
  { what: 'an array', request: [touch], problem: { kind: 'wrong-type', field: 'request' } },
  {
    what: 'a function',
    request: () => touch,
    problem: { kind: 'wrong-type', field: 'request', got: 'function' },
  },
  { what: 'no object', request: 'ls', problem: { kind: 'wrong-type', field: 'request' } },
  { what: 'null', request: null, problem: { kind: 'wrong-type', field: 'request' } },
]

function withWitness(request: unknown, witness: string): ExecuteRequest {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll('{witness}', witness)
    return Array.isArray(value) ? value.map(fill) : value
  }
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    return request as ExecuteRequest
  return Object.fromEntries(Object.entries(request).map(([key, value]) => [key, fill(value)]))
}

async function refusalOf(running: Promise<unknown>): Promise<VitrineError> {
  const error = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof VitrineError) return error
  throw new Error('expected a refusal', { cause: error })
}

describe('a bad request is refused, and nothing runs', () => {
  it.for(badRequests)('$what', async ({ request, problem }) => {
    const witness = join(makeDirectory(), 'ran')
    const refusal = await refusalOf(shell.execute(withWitness(request, witness)))
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', refusal: { problem } })
    expect(existsSync(witness)).toBe(false)
  })

  it('what is checked is what runs, whatever a getter answers the second time', async () => {
    const witness = join(makeDirectory(), 'ran')
    const lines = ['echo first', `touch ${witness}`]
    const request = {
      get command() {
        return lines.shift() ?? 'echo later'
      },
    }
    expect((await shell.execute(request)).stdout).toBe('first\n')
    expect(existsSync(witness)).toBe(false)
  })

  it('a request may have no prototype or a class; inherited fields are checked as well', async () => {
    const bare = Object.assign(Object.create(null), { command: 'echo bare' })
    expect((await shell.execute(bare)).stdout).toBe('bare\n')
    class Request {
      get command() {
        return 'echo class'
      }
    }
    expect((await shell.execute(new Request())).stdout).toBe('class\n')
    const inherited = Object.create({ command: 'true', timeoutMs: 'soon' })
    const problem = { field: 'timeoutMs', got: '"soon"' }
    expect((await refusalOf(shell.execute(inherited))).refusal).toMatchObject({ problem })
  })

  it.for([
    [{ env: {} }, { kind: 'unknown-option', place: expect.stringContaining('of the request') }],
    [{ mode: 'write' }, { kind: 'unknown-option', place: expect.stringContaining('shell.mode') }],
    [{ sginal: undefined }, { kind: 'unknown-option', field: 'sginal', nearest: 'signal' }],
    [{ signal: {} }, { kind: 'wrong-type', field: 'signal', got: 'object' }],
    [
      { signal: { aborted: false, throwIfAborted() {}, addEventListener() {} } },
      { kind: 'wrong-type', field: 'signal' },
    ],
    [{ onOutput: 'x' }, { kind: 'wrong-type', field: 'onOutput', got: '"x"' }],
    [{ save: 1 }, { kind: 'wrong-type', field: 'save' }],
    [null, { kind: 'wrong-type', field: 'options', got: 'null' }],
  ] as const)('options beside the request: %j', async ([options, problem]) => {
    const witness = join(makeDirectory(), 'ran')
    const given = options as object
    for (const running of [
      shell.execute({ command: `touch ${witness}` }, given),
      shell.executeAll([`touch ${witness}`], given),
      shell.start({ command: `touch ${witness}`, pty: true }, given),
    ])
      expect((await refusalOf(running)).refusal).toMatchObject({ problem })
    expect(existsSync(witness)).toBe(false)
  })

  it.for([
    [5, { kind: 'wrong-type', field: 'requests', got: 'number' }],
    [['touch {witness}', 5], { kind: 'wrong-type', field: 'requests[1]', got: 'number' }],
    [['touch {witness}', null], { kind: 'wrong-type', field: 'requests[1]', got: 'null' }],
    [['touch {witness}', { comand: 'x' }], { kind: 'unknown-option', field: 'comand', nearest: 'command' }],
  ] as const)('a list: %j', async ([list, problem]) => {
    const witness = join(makeDirectory(), 'ran')
    const given = JSON.parse(JSON.stringify(list).replaceAll('{witness}', witness))
    expect((await refusalOf(shell.executeAll(given))).refusal).toMatchObject({ problem })
    expect(existsSync(witness)).toBe(false)
  })

  it.for(['FOO', 'toString', 9, undefined])('%s as a signal', (name) => {
    expect(() => shell.signal(name as 'SIGINT')).toThrow(
      expect.objectContaining({
        refusal: expect.objectContaining({
          problem: expect.objectContaining({ kind: 'out-of-range', field: 'signal' }),
        }),
      }),
    )
  })

  it('the witness does appear when the request is good', async () => {
    const witness = join(makeDirectory(), 'ran')
    await shell.execute(withWitness({ command: touch }, witness))
    expect(existsSync(witness)).toBe(true)
  })

  it('a cwd that cannot be entered', async ({ skip }) => {
    if (process.getuid?.() === 0) return skip('root can enter every directory')
    const locked = join(cwd, 'locked')
    mkdirSync(locked)
    chmodSync(locked, 0)
    const { refusal } = await refusalOf(shell.execute({ command: 'true', cwd: 'locked' }))
    expect(refusal).toMatchObject({ problem: { kind: 'cwd', reason: 'unreadable' } })
  })

  it.skipIf(process.platform === 'win32')('a cwd that is a loop of links: the error is named', async () => {
    symlinkSync('loop', join(cwd, 'loop'))
    const { refusal, message } = await refusalOf(shell.execute({ command: 'true', cwd: 'loop' }))
    expect(refusal).toMatchObject({ problem: { kind: 'cwd', reason: 'unreadable', errno: 'ELOOP' } })
    expect(message).toContain('ELOOP')
  })

  it('arguments that are too much together: SPAWN_FAILED', async () => {
    const argv = ['true', ...Array.from({ length: 100 }, () => 'x'.repeat(longest))]
    const refusal = await refusalOf(shell.execute({ argv }))
    expect(refusal).toMatchObject({
      code: 'SPAWN_FAILED',
      refusal: { step: 'exec', errno: 'E2BIG', program: 'true' },
    })
  })

  it.for([
    [['no-such-program-here'], 'ENOENT'],
    [['./file'], 'EACCES'],
    [['/etc'], 'EACCES'],
    [['./file/x'], 'ENOTDIR'],
  ] as const)('a program that cannot start: %j', async ([argv, errno]) => {
    const refusal = await refusalOf(shell.execute({ argv: [...argv] }))
    expect(refusal).toMatchObject({
      code: 'SPAWN_FAILED',
      refusal: { step: 'exec', errno, program: argv[0] },
    })
  })

  it.skipIf(process.platform === 'win32')('a script whose interpreter is missing: that is said', async () => {
    const program = join(cwd, 'script')
    writeFileSync(program, '#!/no/such/interpreter\n', { mode: 0o755 })
    for (const name of [program, './script'])
      expect(await refusalOf(shell.execute({ argv: [name] }))).toMatchObject({
        code: 'SPAWN_FAILED',
        refusal: { errno: 'ENOENT', program: name, missing: 'interpreter' },
      })
    const absent = await refusalOf(shell.execute({ argv: ['./absent'] }))
    expect(absent.refusal).not.toHaveProperty('missing')
  })

  it('a program with no known format: SPAWN_FAILED', async () => {
    const program = join(cwd, 'blank')
    writeFileSync(program, 'echo hi\n', { mode: 0o755 })
    const refusal = await refusalOf(shell.execute({ argv: [program] }))
    expect(refusal).toMatchObject({ code: 'SPAWN_FAILED', refusal: { errno: 'ENOEXEC' } })
  })

  it.for(['read', 'write'] as const)(
    'a directory that has gone meanwhile is said, in %s mode',
    async (mode) => {
      const gone = makeDirectory()
      const own = await openTestShell({ mode, cwd: gone })
      expect((await own.execute({ command: 'pwd' })).stdout).toBe(`${gone}\n`)
      rmSync(gone, { recursive: true })
      const refusal = await refusalOf(own.execute({ command: 'pwd' }))
      expect(refusal.refusal).toEqual({
        code: 'INVALID_REQUEST',
        problem: { kind: 'cwd', path: gone, reason: 'missing' },
      })
    },
  )
})

describe('a shell that cannot be opened', () => {
  it.for([
    ['no-such-directory', { kind: 'cwd', reason: 'missing' }],
    ['file', { kind: 'cwd', reason: 'not-a-directory' }],
  ] as const)('cwd %s', async ([name, problem]) => {
    const { refusal } = await refusalOf(openShell({ cwd: join(cwd, name) }))
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', problem })
  })

  it.for(['missing', '.'])('a config file that is %s', async (name) => {
    const { refusal } = await refusalOf(openShell({ cwd, config: join(cwd, name) }))
    expect(refusal).toMatchObject({ code: 'CONFIG_INVALID', problem: { kind: 'unreadable' } })
  })

  it('a mode that is none, when opened and when set', async () => {
    const bad = 'rw' as 'read'
    const problem = expect.objectContaining({ kind: 'out-of-range', field: 'mode', got: '"rw"' })
    const refused = expect.objectContaining({ refusal: expect.objectContaining({ problem }) })
    await expect(openTestShell({ mode: bad })).rejects.toThrow(refused)
    expect(() => {
      shell.mode = bad
    }).toThrow(refused)
  })

  it.for([
    [{ timeoutMs: 5 }, { kind: 'unknown-option', place: expect.stringContaining('[shell] timeout_ms') }],
    [{ signal: null }, { kind: 'unknown-option', place: expect.stringContaining('options.signal') }],
    [{ modes: 'read' }, { kind: 'unknown-option', field: 'modes', nearest: 'mode' }],
    [{ backnd: 'docker' }, { kind: 'unknown-option', field: 'backnd', nearest: 'backend' }],
    [{ backend: 'podman' }, { kind: 'wrong-type', field: 'backend', got: '"podman"' }],
    [{ mode: 5 }, { kind: 'wrong-type', field: 'mode', got: '5' }],
    [{ privateTmp: 'yes' }, { kind: 'wrong-type', field: 'privateTmp', got: '"yes"' }],
    [{ cwd: '/\0x' }, { kind: 'nul-byte', field: 'cwd' }],
    [{ config: 'a\0b' }, { kind: 'nul-byte', field: 'config' }],
    [{ config: {} }, { kind: 'wrong-type', field: 'config' }],
    [{ env: { PATH: 5 } }, { kind: 'wrong-type', field: 'env.PATH', got: '5' }],
    [{ env: { PATH: '/bin\0' } }, { kind: 'nul-byte', field: 'env.PATH' }],
    [{ env: ['PATH=/bin'] }, { kind: 'wrong-type', field: 'env' }],
    [{ approver: 'yes' }, { kind: 'wrong-type', field: 'approver' }],
    [{ scratchpad: {} }, { kind: 'wrong-type', field: 'scratchpad' }],
    [null, { kind: 'wrong-type', field: 'options', got: 'null' }],
    ['read', { kind: 'wrong-type', field: 'options', got: '"read"' }],
  ] as const)('options: %j', async ([options, problem]) => {
    const { refusal } = await refusalOf(openShell(options as object))
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', problem })
  })
})

describe('the deadline', () => {
  it('is the default when none is asked for', async () => {
    const own = await openTestShell({ mode: 'write', toml: '[shell]\ntimeout_ms = 4321\n' })
    expect((await own.execute({ command: 'true' })).timeoutMs).toBe(4321)
  })

  it.for([1e9, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER])(
    '%d is capped, and the result says so',
    async (timeoutMs) => {
      const own = await openTestShell({ mode: 'write', toml: '[shell]\nmax_timeout_ms = 5000\n' })
      const result = await own.execute({ command: 'sleep 0.05; echo done', timeoutMs })
      expect(result).toMatchObject({ timeoutMs: 5000, stdout: 'done\n', timedOut: false })
    },
  )

  it('a capped deadline ends the command', async () => {
    const own = await openTestShell({ mode: 'write', toml: '[shell]\nmax_timeout_ms = 500\n' })
    const result = await own.execute({ command: 'echo begun; sleep 20', timeoutMs: 60_000 })
    expect(result).toMatchObject({ timedOut: true, timeoutMs: 500, stdout: 'begun\n' })
    expect(result.hint).toBe(loweredTimeoutHint(60_000, 500))
    expect(result.failure).toMatchObject({
      kind: 'timeout',
      advice: expect.stringContaining('max_timeout_ms'),
    })
    const within = await own.execute({ command: 'sleep 20', timeoutMs: 300 })
    expect(within).toMatchObject({ timedOut: true, timeoutMs: 300 })
    expect(within.hint).toBeUndefined()
  })

  it('a part of a millisecond is a deadline too', async () => {
    const result = await shell.execute({ command: 'sleep 20', timeoutMs: 0.5 })
    expect(result).toMatchObject({ timedOut: true, timeoutMs: 0.5 })
  })
})

describe('other functions refuse wrong options', () => {
  const wrong: readonly unknown[] = [
    null,
    5,
    [],
    {},
    { cwd: '.' },
    { env: {} },
    { cwd: 5, env: {} },
    { cwd: '.', env: 'x' },
    { cwd: '.', env: { A: 5 } },
    { cwd: 'a\0b', env: {} },
    { cwd: '.', env: {}, home: 5 },
    { cwd: '.', env: {}, configfile: 'x' },
    { cwd: '.', env: {}, flags: 'x' },
    { cwd: '.', env: {}, flags: { 'shell.mood': { value: 'read', from: 'x' } } },
    { cwd: '.', env: {}, flags: { 'shell.mode': 'read' } },
  ]

  it.for(wrong)('loadConfig: %j', async (options) => {
    expect((await refusalOf(loadConfig(options as LoadOptions))).code).toBe('INVALID_REQUEST')
  })

  it.for([null, 'x', { path: 5 }, { onAbsent: 'x' }, { Path: '/dev/tty' }])(
    'terminalApprover: %j',
    (options) => {
      expect(() => terminalApprover(options as TerminalApproverOptions)).toThrow(
        expect.objectContaining({ code: 'INVALID_REQUEST' }),
      )
    },
  )
})
