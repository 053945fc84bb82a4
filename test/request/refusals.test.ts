import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { inspect } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
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

const touch = 'touch witness'
const isTouched = () => existsSync(join(cwd, 'witness'))

const about = (kind: string) => (field: string, got?: string) => ({ kind, field, ...(got && { got }) })
const [wrongType, outOfRange, nulByte] = [about('wrong-type'), about('out-of-range'), about('nul-byte')]
const tooLong = (field: string) => ({ kind: 'too-long', field, limit: longest })
const cwdIs = (reason: string) => ({ kind: 'cwd', reason })
const unknownOption = (field: string, nearest?: string) => ({
  kind: 'unknown-option',
  field,
  ...(nearest && { nearest }),
})
const invalid = (problem: object) => ({ code: 'INVALID_REQUEST', refusal: { problem } })

/** A request that would make the file `witness`, and what is wrong with it. */
const badRequests: readonly [unknown, object][] = [
  [{}, { kind: 'blank-command' }],
  [{ command: ' \t\n ' }, { kind: 'blank-command' }],
  [{ argv: ['', 'x'] }, { kind: 'blank-command' }],
  [{ command: touch, argv: ['touch', 'witness'] }, { kind: 'command-and-argv' }],
  [{ command: `${touch}\0` }, nulByte('command')],
  [{ argv: ['touch', 'witness', 'a\0b'] }, nulByte('argv[2]')],
  [{ command: touch, cwd: 'a\0b' }, nulByte('cwd')],
  [{ command: `${touch}; : ${'x'.repeat(longest)}` }, tooLong('command')],
  [{ command: `${touch}; : ${'é'.repeat(longest / 2)}` }, tooLong('command')],
  [{ argv: ['touch', 'witness', 'x'.repeat(longest + 1)] }, tooLong('argv[2]')],
  [{ command: touch, cwd: 'no/such' }, cwdIs('missing')],
  [{ command: touch, cwd: 'file' }, cwdIs('not-a-directory')],
  [{ command: touch, timeoutMs: 0 }, outOfRange('timeoutMs', '0')],
  [{ command: touch, timeoutMs: Number.NaN }, wrongType('timeoutMs', 'NaN')],
  [{ command: touch, timeoutMs: '5' }, wrongType('timeoutMs')],
  [{ argv: ['touch', 5] }, wrongType('argv[1]')],
  [{ command: touch, stdin: new Writable() }, wrongType('stdin')],
  [{ command: touch, timeout_ms: 5 }, unknownOption('timeout_ms', 'timeoutMs')],
  [{ command: touch, mode: 'open' }, wrongType('mode')],
  [{ command: touch, scratchpad: '../x' }, outOfRange('scratchpad')],
  [{ argv: Object.assign(['touch'], { 2: 'witness' }) }, wrongType('argv[1]')],
  [null, wrongType('request')],
]

describe('a bad request is refused, and nothing runs', () => {
  const named = badRequests.map((row) => [inspect(row[0], { maxStringLength: 60 }), ...row] as const)
  it.for(named)('%s', async ([_name, request, problem]) => {
    await expect(shell.execute(request as ExecuteRequest)).rejects.toMatchObject(invalid(problem))
    expect(isTouched()).toBe(false)
  })

  it.for([
    [{ sginal: undefined }, { kind: 'unknown-option', field: 'sginal', nearest: 'signal' }],
    [{ signal: {} }, { kind: 'wrong-type', field: 'signal', got: 'object' }],
  ] as const)('options beside the request: %j', async ([options, problem]) => {
    const given = options as object
    for (const running of [
      shell.execute({ command: touch }, given),
      shell.executeAll([touch], given),
      shell.start({ command: touch, pty: true }, given),
    ])
      await expect(running).rejects.toMatchObject(invalid(problem))
    expect(isTouched()).toBe(false)
  })

  it('the witness does appear when the request is good', async () => {
    await shell.execute({ command: touch })
    expect(isTouched()).toBe(true)
    rmSync(join(cwd, 'witness'))
  })

  it('a cwd that cannot be entered', async ({ skip }) => {
    if (process.getuid?.() === 0) return skip('root can enter every directory')
    const locked = join(cwd, 'locked')
    mkdirSync(locked)
    chmodSync(locked, 0)
    await expect(shell.execute({ command: 'true', cwd: 'locked' })).rejects.toMatchObject(
      invalid({ kind: 'cwd', reason: 'unreadable' }),
    )
  })

  it.for<[argv: string[], errno: string]>([
    [['true', ...Array.from({ length: 100 }, () => 'x'.repeat(longest))], 'E2BIG'],
    [['no-such-program-here'], 'ENOENT'],
    [['./file'], 'EACCES'],
    [['/etc'], 'EACCES'],
    [['./file/x'], 'ENOTDIR'],
    [['./blank'], 'ENOEXEC'],
  ])('a program that cannot start: %.60j', async ([argv, errno]) => {
    await expect(shell.execute({ argv })).rejects.toMatchObject({
      code: 'SPAWN_FAILED',
      refusal: { step: 'exec', errno, program: argv[0] },
    })
  })

  it.skipIf(process.platform === 'win32')('a script whose interpreter is missing: that is said', async () => {
    const program = join(cwd, 'script')
    writeFileSync(program, '#!/no/such/interpreter\n', { mode: 0o755 })
    const missingFor = (name: string) =>
      shell.execute({ argv: [name] }).catch(({ refusal }) => refusal.missing)
    const names = [program, './script', './absent']
    expect(await Promise.all(names.map(missingFor))).toEqual(['interpreter', 'interpreter', undefined])
  })

  it.for(['read', 'write'] as const)(
    'a directory that has gone meanwhile is said, in %s mode',
    async (mode) => {
      const gone = makeDirectory()
      const own = await openTestShell({ mode, cwd: gone })
      expect((await own.execute({ command: 'pwd' })).stdout).toBe(`${gone}\n`)
      rmSync(gone, { recursive: true })
      await expect(own.execute({ command: 'pwd' })).rejects.toMatchObject(
        invalid({ kind: 'cwd', path: gone, reason: 'missing' }),
      )
    },
  )
})

describe('a shell that cannot be opened', () => {
  it('a mode that is none, when opened and when set', async () => {
    const bad = 'rw' as 'read'
    const problem = expect.objectContaining({ kind: 'wrong-type', field: 'mode', got: '"rw"' })
    const refused = expect.objectContaining({ refusal: expect.objectContaining({ problem }) })
    await expect(openTestShell({ mode: bad })).rejects.toThrow(refused)
    expect(() => Object.assign(shell, { mode: bad })).toThrow(refused)
  })

  it.for([
    [{ backnd: 'docker' }, { kind: 'unknown-option', field: 'backnd', nearest: 'backend' }],
    [{ backend: 'podman' }, { kind: 'wrong-type', field: 'backend', got: '"podman"' }],
    [{ cwd: '/\0x' }, { kind: 'nul-byte', field: 'cwd' }],
    [{ env: { PATH: '/bin\0' } }, { kind: 'nul-byte', field: 'env.PATH' }],
  ] as const)('options: %j', async ([options, problem]) => {
    await expect(openShell(options as object)).rejects.toMatchObject(invalid(problem))
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
