import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { inspect } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { VitrineError } from '../../src/messages/error.ts'
import type { ExecuteRequest } from '../../src/request/request.ts'
import { loweredTimeoutHint } from '../../src/run/hint.ts'
import { openShell, type Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

/** MAX_ARG_STRLEN of linux/binfmts.h, its NUL left out. */
const longest = 32 * 4096 - 1

let cwd: string
let shell: Shell

beforeAll(async () => {
  cwd = makeDirectory()
  writeFileSync(join(cwd, 'file'), '')
  writeFileSync(join(cwd, 'blank'), 'echo hi\n', { mode: 0o755 })
  shell = await openTestShell({ mode: 'write', cwd })
})

const touch = 'touch {witness}'

const about = (kind: string) => (field: string, got?: string) => ({ kind, field, ...(got && { got }) })
const [wrongType, outOfRange, nulByte] = [about('wrong-type'), about('out-of-range'), about('nul-byte')]
const tooLong = (field: string) => ({ kind: 'too-long', field, limit: longest })
const cwdIs = (reason: string) => ({ kind: 'cwd', reason })
const unknownOption = (field: string, nearest?: string) => ({
  kind: 'unknown-option',
  field,
  ...(nearest && { nearest }),
})
/** A request, in which `{witness}` stands for a file that the command would make, and what is wrong with it. */
const badRequests: readonly [unknown, object][] = [
  [{}, { kind: 'blank-command' }],
  [{ command: '' }, { kind: 'blank-command' }],
  [{ command: ' \t\n ' }, { kind: 'blank-command' }],
  [{ argv: [] }, { kind: 'blank-command' }],
  [{ argv: ['', 'x'] }, { kind: 'blank-command' }],
  [{ command: touch, argv: ['touch', '{witness}'] }, { kind: 'command-and-argv' }],
  [{ command: `${touch}\0` }, nulByte('command')],
  [{ argv: ['touch', '{witness}', 'a\0b'] }, nulByte('argv[2]')],
  [{ command: touch, cwd: 'a\0b' }, nulByte('cwd')],
  [{ command: `${touch}; : ${'x'.repeat(longest)}` }, tooLong('command')],
  [{ command: `${touch}; : ${'é'.repeat(longest / 2)}` }, tooLong('command')],
  [{ argv: ['touch', '{witness}', 'x'.repeat(longest + 1)] }, tooLong('argv[2]')],
  [{ command: touch, cwd: 'no/such' }, cwdIs('missing')],
  [{ command: touch, cwd: 'file' }, cwdIs('not-a-directory')],
  [{ command: touch, timeoutMs: 0 }, outOfRange('timeoutMs', '0')],
  [{ command: touch, timeoutMs: -1 }, outOfRange('timeoutMs', '-1')],
  [{ command: touch, timeoutMs: Number.NaN }, wrongType('timeoutMs', 'NaN')],
  [{ command: touch, timeoutMs: '5' }, wrongType('timeoutMs')],
  [{ command: touch, env: new Map([['A', '1']]) }, wrongType('env', 'Map')],
  [{ argv: 'ls' }, wrongType('argv')],
  [{ argv: ['touch', 5] }, wrongType('argv[1]')],
  [{ command: touch, stdin: {} }, wrongType('stdin')],
  [{ command: touch, stdin: -1 }, wrongType('stdin')],
  [{ command: touch, stdin: { pipe() {} } }, wrongType('stdin')],
  [{ command: touch, stdin: new Writable() }, wrongType('stdin')],
  [{ command: touch, shell: true }, unknownOption('shell')],
  [{ command: touch, timeout_ms: 5 }, unknownOption('timeout_ms', 'timeoutMs')],
  [{ command: touch, mode: 'write' }, unknownOption('mode')],
  [{ command: touch, signal: AbortSignal.abort() }, unknownOption('signal')],
  [{ args: [touch] }, unknownOption('args')],
  [{ command: touch, scratchpad: '../x' }, outOfRange('scratchpad')],
  [{ comand: touch }, unknownOption('comand', 'command')],
  [{ argv: Object.assign(['touch'], { 2: '{witness}' }) }, wrongType('argv[1]')],
  [{ command: touch, privateTmp: 'yes' }, wrongType('privateTmp')],
  [[touch], wrongType('request')],
  ['ls', wrongType('request')],
  [null, wrongType('request')],
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
  const named = badRequests.map((row) => [inspect(row[0], { maxStringLength: 60 }), ...row] as const)
  it.for(named)('%s', async ([_name, request, problem]) => {
    const witness = join(makeDirectory(), 'ran')
    const refusal = await refusalOf(shell.execute(withWitness(request, witness)))
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', refusal: { problem } })
    expect(existsSync(witness)).toBe(false)
  })

  it.for([
    [{ mode: 'write' }, { kind: 'unknown-option', field: 'mode' }],
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
    [['./blank'], 'ENOEXEC'],
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
    const problem = expect.objectContaining({ kind: 'wrong-type', field: 'mode', got: '"rw"' })
    const refused = expect.objectContaining({ refusal: expect.objectContaining({ problem }) })
    await expect(openTestShell({ mode: bad })).rejects.toThrow(refused)
    expect(() => {
      shell.mode = bad
    }).toThrow(refused)
  })

  it.for([
    [{ timeoutMs: 5 }, { kind: 'unknown-option', field: 'timeoutMs' }],
    [{ backnd: 'docker' }, { kind: 'unknown-option', field: 'backnd', nearest: 'backend' }],
    [{ backend: 'podman' }, { kind: 'wrong-type', field: 'backend', got: '"podman"' }],
    [{ mode: 5 }, { kind: 'wrong-type', field: 'mode', got: '5' }],
    [{ cwd: '/\0x' }, { kind: 'nul-byte', field: 'cwd' }],
    [{ config: {} }, { kind: 'wrong-type', field: 'config' }],
    [{ env: { PATH: 5 } }, { kind: 'wrong-type', field: 'env.PATH', got: '5' }],
    [{ env: { PATH: '/bin\0' } }, { kind: 'nul-byte', field: 'env.PATH' }],
    [{ env: ['PATH=/bin'] }, { kind: 'wrong-type', field: 'env' }],
    [{ approver: 'yes' }, { kind: 'wrong-type', field: 'approver' }],
    [null, { kind: 'wrong-type', field: 'options', got: 'null' }],
  ] as const)('options: %j', async ([options, problem]) => {
    const { refusal } = await refusalOf(openShell(options as object))
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', problem })
  })
})

describe('the deadline', () => {
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
})
