import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { VitrineError } from '../../src/errors.ts'
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
  { what: 'no object', request: 'ls', says: /"request" must be an object/ },
  { what: 'null', request: null, says: /"request" must be an object/ },
]

function withWitness(request: unknown, witness: string): ExecuteRequest {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll('{witness}', witness)
    return Array.isArray(value) ? value.map(fill) : value
  }
  if (typeof request !== 'object' || request === null) return request as ExecuteRequest
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
  it.for(badRequests)('$what', async ({ request, says }) => {
    const witness = join(makeDirectory(), 'ran')
    const refusal = await refusalOf(shell.execute(withWitness(request, witness)))
    expect(refusal.code).toBe('INVALID_REQUEST')
    expect(refusal.message).toMatch(says)
    expect(refusal.message).toMatch(/Nothing ran\.$/)
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

  it('an unknown option', async () => {
    const options = { cwd, modes: 'read' } as object
    expect((await refusalOf(openShell(options))).message).toMatch(/"modes" is no option/)
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
    const own = await openTestShell({ mode: 'write', toml: '[shell]\nmax_timeout_ms = 100\n' })
    const result = await own.execute({ command: 'echo begun; sleep 20', timeoutMs: 60_000 })
    expect(result).toMatchObject({ timedOut: true, timeoutMs: 100, stdout: 'begun\n' })
  })

  it('a part of a millisecond is a deadline too', async () => {
    const result = await shell.execute({ command: 'sleep 20', timeoutMs: 0.5 })
    expect(result).toMatchObject({ timedOut: true, timeoutMs: 0.5 })
  })
})
