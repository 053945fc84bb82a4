import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { VitrineError } from '../../src/messages/error.ts'
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
  readonly says: RegExp
}

const touch = 'touch {witness}'

const badRequests: readonly BadRequest[] = [
  { what: 'no command', request: {}, says: /^The command is empty: .* Nothing ran\.$/ },
  { what: 'an empty command', request: { command: '' }, says: /is empty/ },
  { what: 'a blank command', request: { command: ' \t\n ' }, says: /is empty/ },
  { what: 'an empty argv', request: { argv: [] }, says: /is empty/ },
  { what: 'an argv without a program', request: { argv: ['', 'x'] }, says: /is empty/ },
  {
    what: 'both command and argv',
    request: { command: touch, argv: ['touch', '{witness}'] },
    says: /not both/,
  },
  {
    what: 'a NUL byte in the command',
    request: { command: `${touch}\0` },
    says: /"command" contains a NUL byte/,
  },
  {
    what: 'a NUL byte in an argument',
    request: { argv: ['touch', '{witness}', 'a\0b'] },
    says: /"argv\[2\]" contains a NUL/,
  },
  { what: 'a NUL byte in cwd', request: { command: touch, cwd: 'a\0b' }, says: /"cwd" contains a NUL byte/ },
  {
    what: 'a command over the limit of one argument',
    request: { command: `${touch}; : ${'x'.repeat(longest)}` },
    says: /"command" is \d+ bytes long; the kernel takes at most 131071 .* stdin/,
  },
  {
    what: 'an over-long command counted in bytes, not characters',
    request: { command: `${touch}; : ${'é'.repeat(longest / 2)}` },
    says: /"command" is 1310\d\d bytes|"command" is 1311\d\d bytes/,
  },
  {
    what: 'an over-long argument',
    request: { argv: ['touch', '{witness}', 'x'.repeat(longest + 1)] },
    says: /"argv\[2\]" is/,
  },
  {
    what: 'a cwd that is missing',
    request: { command: touch, cwd: 'no/such' },
    says: /no\/such does not exist/,
  },
  { what: 'a cwd that is a file', request: { command: touch, cwd: 'file' }, says: /file is not a directory/ },
  { what: 'a cwd below a file', request: { command: touch, cwd: 'file/x' }, says: /is not a directory/ },
  { what: 'timeout 0', request: { command: touch, timeoutMs: 0 }, says: /"timeoutMs" must be .* not 0/ },
  {
    what: 'a negative timeout',
    request: { command: touch, timeoutMs: -1 },
    says: /"timeoutMs" must be .* not -1/,
  },
  { what: 'a timeout that is NaN', request: { command: touch, timeoutMs: Number.NaN }, says: /not NaN/ },
  {
    what: 'a timeout that is text',
    request: { command: touch, timeoutMs: '5' },
    says: /"timeoutMs" must be a number/,
  },
  {
    what: 'a command that is no string',
    request: { command: 5 },
    says: /"command" must be a string, not number/,
  },
  { what: 'an argv that is a string', request: { argv: 'ls' }, says: /"argv" must be an array of strings/ },
  { what: 'an argument that is no string', request: { argv: ['touch', 5] }, says: /"argv" must be an array/ },
  { what: 'a stdin that is none', request: { command: touch, stdin: {} }, says: /"stdin" must be/ },
  { what: 'a descriptor that is none', request: { command: touch, stdin: -1 }, says: /"stdin" must be/ },
  {
    what: 'merged that is no boolean',
    request: { command: touch, merged: 1 },
    says: /"merged" must be a boolean/,
  },
  { what: 'an unknown option', request: { command: touch, shell: true }, says: /"shell" is no option/ },
  {
    what: 'a misspelt option',
    request: { command: touch, timeout_ms: 5 },
    says: /"timeout_ms" is no option; did you mean "timeoutMs"\?/,
  },
  {
    what: 'a scratchpad name with a path',
    request: { command: touch, scratchpad: '../x' },
    says: /"scratchpad" must be/,
  },
  {
    what: 'an empty scratchpad name',
    request: { command: touch, scratchpad: '' },
    says: /"scratchpad" must be/,
  },
  {
    what: 'a misspelt command',
    request: { comand: touch },
    says: /^"comand" is no option; did you mean "command"\?/,
  },
  {
    what: 'an unknown option that is undefined',
    request: { command: touch, tty: undefined },
    says: /"tty" is no option\./,
  },
  {
    what: 'a key of a prototype that is no option',
    request: JSON.parse(`{ "command": "${touch}", "__proto__": { "mode": "write" } }`),
    says: /"__proto__" is no option\./,
  },
  {
    what: 'an endless deadline before now',
    request: { command: touch, timeoutMs: Number.NEGATIVE_INFINITY },
    says: /"timeoutMs" must be .* not -Infinity/,
  },
  { what: 'a bigint', request: { command: touch, timeoutMs: 5n }, says: /"timeoutMs" must be .* not bigint/ },
  {
    what: 'an argument that is left out',
    request: { argv: Object.assign(['touch'], { 2: '{witness}' }) },
    says: /"argv" must be an array of strings, not \["touch", undefined, "/,
  },
  {
    what: 'a private tmp that is no boolean',
    request: { command: touch, privateTmp: 'yes' },
    says: /"privateTmp"/,
  },
  { what: 'an array', request: [touch], says: /"request" must be an object, not \["/ },
  { what: 'a function', request: () => touch, says: /"request" must be an object, not function/ },
  { what: 'no object', request: 'ls', says: /"request" must be an object/ },
  { what: 'null', request: null, says: /"request" must be an object/ },
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

const thrower = () => {
  throw new Error('boom')
}

const throwing = {
  'a getter': {
    field: 'command',
    request: Object.defineProperty({}, 'command', { get: thrower, enumerable: true }),
  },
  'a list of keys': { field: 'request', request: new Proxy({ command: touch }, { ownKeys: thrower }) },
  'an item': { field: 'argv', request: { argv: new Proxy(['touch'], { get: thrower }) } },
} as const

describe('a bad request is refused, and nothing runs', () => {
  it.for(badRequests)('$what', async ({ request, says }) => {
    const witness = join(makeDirectory(), 'ran')
    const refusal = await refusalOf(shell.execute(withWitness(request, witness)))
    expect(refusal.code).toBe('INVALID_REQUEST')
    expect(refusal.message).toMatch(says)
    expect(refusal.message).toMatch(/Nothing ran\.$/)
    expect(existsSync(witness)).toBe(false)
  })

  it.for(['a getter', 'a list of keys', 'an item'] as const)('%s that throws', async (what) => {
    const { field, request } = throwing[what]
    const said = `"${field}" cannot be read: looking at it threw "boom". Nothing ran.`
    for (const running of [shell.execute(request), shell.decide(request)])
      expect((await refusalOf(running)).message).toBe(said)
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

  it('a request without a prototype, and one of a class, are requests; an inherited field is checked like an own one', async () => {
    const bare = Object.assign(Object.create(null), { command: 'echo bare' })
    expect((await shell.execute(bare)).stdout).toBe('bare\n')
    class Request {
      get command() {
        return 'echo class'
      }
    }
    expect((await shell.execute(new Request())).stdout).toBe('class\n')
    const inherited = Object.create({ command: 'true', timeoutMs: 'soon' })
    expect((await refusalOf(shell.execute(inherited))).message).toMatch(/^"timeoutMs" must be .* not "soon"/)
  })

  it.for([
    [{ sginal: undefined }, /^"sginal" is no option; did you mean "signal"\?/],
    [{ signal: {} }, /^"signal" must be an AbortSignal, not object/],
    [{ onOutput: 'x' }, /^"onOutput" must be a function, not "x"/],
    [{ save: 1 }, /^"save" must be a boolean/],
    [null, /^"options" must be an object, not null/],
  ] as const)('options beside the request: %j', async ([options, says]) => {
    const witness = join(makeDirectory(), 'ran')
    const given = options as object
    for (const running of [
      shell.execute({ command: `touch ${witness}` }, given),
      shell.executeAll([`touch ${witness}`], given),
      shell.start({ command: `touch ${witness}`, pty: true }, given),
    ])
      expect((await refusalOf(running)).message).toMatch(says)
    expect(existsSync(witness)).toBe(false)
  })

  it.for([
    [5, /^"requests" must be an array of shell lines and requests, not number/],
    [['touch {witness}', 5], /^"requests\[1\]" must be a shell line or a request, not number/],
    [['touch {witness}', null], /^"requests\[1\]" must be .* not null/],
    [['touch {witness}', { comand: 'x' }], /^"comand" is no option; did you mean "command"\?/],
  ] as const)('a list: %j', async ([list, says]) => {
    const witness = join(makeDirectory(), 'ran')
    const given = JSON.parse(JSON.stringify(list).replaceAll('{witness}', witness))
    expect((await refusalOf(shell.executeAll(given))).message).toMatch(says)
    expect(existsSync(witness)).toBe(false)
  })

  it.for(['FOO', 'toString', 9, undefined])('%s as a signal', (name) => {
    expect(() => shell.signal(name as 'SIGINT')).toThrow(/^"signal" must be the name of a signal/)
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
    const refusal = await refusalOf(shell.execute({ command: 'true', cwd: 'locked' }))
    expect(refusal.message).toMatch(/cannot be entered: permission denied/)
  })

  it('arguments that are too much together: SPAWN_FAILED', async () => {
    const argv = ['true', ...Array.from({ length: 100 }, () => 'x'.repeat(longest))]
    const refusal = await refusalOf(shell.execute({ argv }))
    expect(refusal).toMatchObject({
      code: 'SPAWN_FAILED',
      refusal: { step: 'exec', errno: 'E2BIG', program: 'true' },
    })
    expect(refusal.message).toMatch(/larger than the kernel takes/)
  })

  it.for([
    [['no-such-program-here'], 'ENOENT', /^no-such-program-here: not found/],
    [['./file'], 'EACCES', /^\.\/file: not executable/],
    [['/etc'], 'EACCES', /not executable/],
    [['./file/x'], 'ENOTDIR', /could not be started|not found/],
  ] as const)('a program that cannot start: %j', async ([argv, errno, says]) => {
    const refusal = await refusalOf(shell.execute({ argv: [...argv] }))
    expect(refusal).toMatchObject({ code: 'SPAWN_FAILED', refusal: { step: 'exec', errno } })
    expect(refusal.message).toMatch(says)
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
      expect(refusal.code).toBe('INVALID_REQUEST')
      expect(refusal.message).toContain(`The directory ${gone} does not exist.`)
    },
  )
})

describe('a shell that cannot be opened', () => {
  it.for([
    ['no-such-directory', /does not exist/],
    ['file', /is not a directory/],
  ] as const)('cwd %s', async ([name, says]) => {
    const refusal = await refusalOf(openShell({ cwd: join(cwd, name) }))
    expect(refusal.code).toBe('INVALID_REQUEST')
    expect(refusal.message).toMatch(says)
  })

  it.for([
    ['missing', /./],
    ['.', /director/],
  ] as const)('a config file that is %s', async ([name, says]) => {
    const refusal = await refusalOf(openShell({ cwd, config: join(cwd, name) }))
    expect(refusal.code).toBe('CONFIG_INVALID')
    expect(refusal.message).toMatch(says)
  })

  it('a mode that is none, when opened and when set', async () => {
    const bad = 'rw' as 'read'
    expect((await refusalOf(openTestShell({ mode: bad }))).message).toMatch(
      /"mode" must be "read" or "write"/,
    )
    expect(() => {
      shell.mode = bad
    }).toThrow(/"mode" must be "read" or "write"/)
  })

  it.for([
    [{ modes: 'read' }, /^"modes" is no option; did you mean "mode"\?/],
    [{ backnd: 'docker' }, /^"backnd" is no option; did you mean "backend"\?/],
    [{ backend: 'podman' }, /^"backend" must be "local" or "docker", not "podman"/],
    [{ mode: 5 }, /^"mode" must be "read" or "write", not number/],
    [{ privateTmp: 'yes' }, /^"privateTmp" must be a boolean, not "yes"/],
    [{ cwd: '/\0x' }, /^"cwd" contains a NUL byte/],
    [{ config: 'a\0b' }, /^"config" contains a NUL byte/],
    [{ config: {} }, /^"config" must be the path of a file, or what loadConfig made/],
    [{ env: { PATH: 5 } }, /^"env\.PATH" must be a string, not number/],
    [{ env: { PATH: '/bin\0' } }, /^"env\.PATH" contains a NUL byte/],
    [{ env: ['PATH=/bin'] }, /^"env" must be an object of variables/],
    [{ approver: 'yes' }, /^"approver" must be a function/],
    [{ scratchpad: {} }, /^"scratchpad" must be a Scratchpad/],
    [null, /^"options" must be an object, not null/],
    ['read', /^"options" must be an object, not "read"/],
  ] as const)('options: %j', async ([options, says]) => {
    const refusal = await refusalOf(openShell(options as object))
    expect(refusal.code).toBe('INVALID_REQUEST')
    expect(refusal.message).toMatch(says)
  })
})

describe('options that throw when they are read', () => {
  it('are refused', async () => {
    const mode = Object.defineProperty({}, 'mode', { get: thrower, enumerable: true })
    expect((await refusalOf(openShell(mode))).message).toMatch(/^"mode" cannot be read: .* "boom"/)
    const env = new Proxy({}, { ownKeys: thrower })
    expect((await refusalOf(openShell({ env }))).message).toMatch(/^"env" cannot be read: .* "boom"/)
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
    expect(result.hint).toContain('60000 ms was lowered to the maximum, 500 ms')
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
