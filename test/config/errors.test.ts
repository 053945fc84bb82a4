import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { VitrineError } from '../../src/messages/error.ts'
import { processEntry, waitFor } from '../helpers/processes.ts'
import { makePlace } from './place.ts'

interface Case {
  readonly name: string
  readonly toml: string
  readonly at: readonly [line: number, column: number]
  readonly key?: string
  readonly problem: object
  readonly excerpt: string
}

const integer = 'an integer from 1 to 2147483647'
const ruleTable =
  'a table with prefix, verdict, reason, match, not_match, allow_options, ask_options, deny_options, operands'

const cases: readonly Case[] = [
  {
    name: 'an unknown key',
    toml: '[shell]\ntimout_ms = 3\n',
    at: [2, 1],
    key: 'shell.timout_ms',
    problem: { kind: 'unknown-key', nearest: 'shell.timeout_ms' },
    excerpt: '2 | timout_ms = 3\n  | ^^^^^^^^^',
  },
  {
    name: 'an unknown section',
    toml: '[shel]\ntimeout_ms = 3\n',
    at: [1, 2],
    key: 'shel',
    problem: { kind: 'unknown-key', nearest: 'shell' },
    excerpt: '1 | [shel]\n  |  ^^^^',
  },
  {
    name: 'an unknown section that is opened twice',
    toml: '[shel.a]\n[shel.b]\n',
    at: [1, 2],
    key: 'shel',
    problem: { kind: 'unknown-key', nearest: 'shell' },
    excerpt: '1 | [shel.a]\n  |  ^^^^',
  },
  {
    name: 'a wrong entry of a list that may be a boolean instead',
    toml: '[shell]\nnetwork = [\n  "a.example",\n  "b c",\n]\n',
    at: [4, 3],
    key: 'shell.network[1]',
    problem: {
      kind: 'bad-value',
      wanted: 'HOST, *.HOST or an address, each with :PORT or without; or true or false in place of the list',
      got: 'the string "b c"',
    },
    excerpt: '4 |   "b c",\n  |   ^^^^^',
  },
  {
    name: 'a wrong entry of a list that may be a word instead',
    toml: '[shell]\nunreadable = ["/a", 3]\n',
    at: [2, 21],
    key: 'shell.unreadable[1]',
    problem: { kind: 'wrong-type', wanted: 'a path', got: 'the number 3' },
    excerpt: '2 | unreadable = ["/a", 3]\n  |                     ^',
  },
  {
    name: 'a list for a table of strings',
    toml: '[env]\nset = ["A=1"]\n',
    at: [2, 7],
    key: 'env.set',
    problem: { kind: 'wrong-type', wanted: 'a table of strings', got: 'a list' },
    excerpt: '2 | set = ["A=1"]\n  |       ^^^^^^^',
  },
  {
    name: 'a word that is nearly "secrets"',
    toml: '[shell]\nunreadable = ["/a", "secret"]\n',
    at: [2, 21],
    key: 'shell.unreadable[1]',
    problem: {
      kind: 'bad-value',
      wanted: '"secrets", or a path ("./NAME" for a file of such a name)',
      got: 'the string "secret"',
    },
    excerpt: '2 | unreadable = ["/a", "secret"]\n  |                     ^^^^^^^^',
  },
  {
    name: 'a section that no name is near to',
    toml: '[kubernetes]\n',
    at: [1, 2],
    key: 'kubernetes',
    problem: { kind: 'unknown-key' },
    excerpt: '1 | [kubernetes]\n  |  ^^^^^^^^^^',
  },
  {
    name: 'a key in front of every section',
    toml: 'timeout_ms = 3\n',
    at: [1, 1],
    key: 'timeout_ms',
    problem: { kind: 'unknown-key', nearest: 'shell.timeout_ms' },
    excerpt: '1 | timeout_ms = 3\n  | ^^^^^^^^^^',
  },
  {
    name: 'a key of another section',
    toml: '[shell]\nprocesses = 3\n',
    at: [2, 1],
    key: 'shell.processes',
    problem: { kind: 'unknown-key', nearest: 'limits.processes' },
    excerpt: '2 | processes = 3\n  | ^^^^^^^^^',
  },
  {
    name: 'a dotted unknown key',
    toml: 'shell.netwrok = true\n',
    at: [1, 7],
    key: 'shell.netwrok',
    problem: { kind: 'unknown-key', nearest: 'shell.network' },
    excerpt: '1 | shell.netwrok = true\n  |       ^^^^^^^',
  },
  {
    name: 'a key that every object of JavaScript has',
    toml: '[shell]\nconstructor = 1\n',
    at: [2, 1],
    key: 'shell.constructor',
    problem: { kind: 'unknown-key' },
    excerpt: '2 | constructor = 1\n  | ^^^^^^^^^^^',
  },
  {
    name: 'a section named __proto__',
    toml: '[__proto__]\nmode = "write"\n',
    at: [1, 2],
    key: '__proto__',
    problem: { kind: 'unknown-key' },
    excerpt: '1 | [__proto__]\n  |  ^^^^^^^^^',
  },
  {
    name: 'a string for a number',
    toml: '[shell]\n  timeout_ms = "30s" # half a minute\n',
    at: [2, 16],
    key: 'shell.timeout_ms',
    problem: { kind: 'wrong-type', wanted: integer, got: 'the string "30s"' },
    excerpt: '2 |   timeout_ms = "30s" # half a minute\n  |                ^^^^^',
  },
  {
    name: 'a date for a boolean, behind tabs and after Windows line ends',
    toml: '[shell]\r\n\tsandbox =\t2024-01-01\r\n',
    at: [2, 12],
    key: 'shell.sandbox',
    problem: { kind: 'wrong-type', wanted: 'true or false', got: 'a date' },
    excerpt: '2 | \tsandbox =\t2024-01-01\n  | \t         \t^^^^^^^^^^',
  },
  {
    name: 'a number for a section',
    toml: 'shell = 3\n',
    at: [1, 9],
    key: 'shell',
    problem: { kind: 'wrong-type', wanted: 'a table', got: 'the number 3' },
    excerpt: '1 | shell = 3\n  |         ^',
  },
  {
    name: 'a list of tables for a section',
    toml: '[[shell]]\nmode = "read"\n',
    at: [1, 3],
    key: 'shell',
    problem: { kind: 'wrong-type', wanted: 'a table', got: 'a list' },
    excerpt: '1 | [[shell]]\n  |   ^^^^^',
  },
  {
    name: 'a number below the range',
    toml: '[shell]\ntimeout_ms = 0\n',
    at: [2, 14],
    key: 'shell.timeout_ms',
    problem: { kind: 'bad-value', wanted: integer, got: 'the number 0' },
    excerpt: '2 | timeout_ms = 0\n  |              ^',
  },
  {
    name: 'a fraction for an integer',
    toml: '[shell]\ntimeout_ms = 1.5\n',
    at: [2, 14],
    key: 'shell.timeout_ms',
    problem: { kind: 'bad-value', wanted: integer, got: 'the number 1.5' },
    excerpt: '2 | timeout_ms = 1.5\n  |              ^^^',
  },
  {
    name: 'not a number',
    toml: '[docker]\ncpus = nan\n',
    at: [2, 8],
    key: 'docker.cpus',
    problem: { kind: 'wrong-type', wanted: 'a number from 0.01 to 1024', got: 'the number NaN' },
    excerpt: '2 | cpus = nan\n  |        ^^^',
  },
  {
    name: 'a word that is none of those',
    toml: '[shell]\nmode = "wirte"\n',
    at: [2, 8],
    key: 'shell.mode',
    problem: { kind: 'bad-value', wanted: '"read", "workspace" or "write"', got: 'the string "wirte"' },
    excerpt: '2 | mode = "wirte"\n  |        ^^^^^^^',
  },
  {
    name: 'an entry of a list, on its own line',
    toml: '[policy]\ndeny = [\n  "rm",\n  3,\n]\n',
    at: [4, 3],
    key: 'policy.deny[1]',
    problem: { kind: 'wrong-type', wanted: 'a command', got: 'the number 3' },
    excerpt: '4 |   3,\n  |   ^',
  },
  {
    name: 'an empty entry of a list',
    toml: '[policy]\ndeny = [""]\n',
    at: [2, 9],
    key: 'policy.deny[0]',
    problem: { kind: 'bad-value', wanted: 'a command, not empty', got: 'the string ""' },
    excerpt: '2 | deny = [""]\n  |         ^^',
  },
  {
    name: 'an entry of an inline table',
    toml: '[env]\nset = { A = "1", B = 2 }\n',
    at: [2, 22],
    key: 'env.set.B',
    problem: { kind: 'wrong-type', wanted: 'a string', got: 'the number 2' },
    excerpt: '2 | set = { A = "1", B = 2 }\n  |                      ^',
  },
  {
    name: 'a NUL byte in a string',
    toml: '[audit]\npath = "a\\u0000b"\n',
    at: [2, 8],
    key: 'audit.path',
    problem: { kind: 'bad-value', wanted: 'a path without a NUL byte', got: 'the string "a\\u0000b"' },
    excerpt: '2 | path = "a\\u0000b"\n  |        ^^^^^^^^^^',
  },
  {
    name: 'an unknown entry of a rule',
    toml: '[[policy.rule]]\nprefix = ["git"]\nverdict = "ask"\nmatches = []\n',
    at: [4, 1],
    key: 'policy.rule[0].matches',
    problem: { kind: 'unknown-key', nearest: 'match' },
    excerpt: '4 | matches = []\n  | ^^^^^^^',
  },
  {
    name: 'a rule without its prefix, the second of two',
    toml: '[[policy.rule]]\nprefix = ["git"]\nverdict = "ask"\n[[policy.rule]]\nverdict = "ask"\n',
    at: [4, 3],
    key: 'policy.rule[1]',
    problem: { kind: 'wrong-type', wanted: ruleTable, got: 'a table without prefix' },
    excerpt: '4 | [[policy.rule]]\n  |   ^^^^^^^^^^^',
  },
  {
    name: 'a command line in place of the words of a rule',
    toml: '[[policy.rule]]\nprefix = ["git push"]\nverdict = "deny"\n',
    at: [2, 11],
    key: 'policy.rule[0].prefix[0]',
    problem: { kind: 'bad-value', wanted: 'one word', got: 'the string "git push"' },
    excerpt: '2 | prefix = ["git push"]\n  |           ^^^^^^^^^^',
  },
  {
    name: 'an option of a rule without its dash',
    toml: '[[policy.rule]]\nprefix = ["git"]\nverdict = "allow"\ndeny_options = ["-f", "force"]\n',
    at: [4, 23],
    key: 'policy.rule[0].deny_options[1]',
    problem: { kind: 'bad-value', wanted: 'an option such as "--force"', got: 'the string "force"' },
    excerpt: '4 | deny_options = ["-f", "force"]\n  |                       ^^^^^^^',
  },
  {
    name: 'a syntax error',
    toml: '[shell]\nmode = read\n',
    at: [2, 8],
    problem: { kind: 'syntax', detail: expect.stringContaining('invalid value') },
    excerpt: '2 | mode = read\n  |        ^',
  },
  {
    name: 'a key that stands there twice',
    toml: '[shell]\nmode = "read"\nmode = "write"\n',
    at: [3, 1],
    problem: { kind: 'syntax', detail: expect.stringContaining('redefine') },
    excerpt: '3 | mode = "write"\n  | ^',
  },
]

describe.each(['user', 'project'] as const)('in the %s file', (which) => {
  it.each(cases)(
    '$name stops with its place',
    async ({ toml, at: [line, column], key, problem, excerpt }) => {
      const place = makePlace()
      const file = place.write(which === 'user' ? place.userFile : place.projectFile, toml)
      const expected = { code: 'CONFIG_INVALID', file, line, column, problem, excerpt }
      expect(await place.refusal()).toEqual(key === undefined ? expected : { ...expected, key })
    },
  )
})

it('the message says place, key, what is wrong and what to do', async () => {
  const place = makePlace()
  const file = place.write(place.userFile, '[shell]\ntimout_ms = 3\n')
  const { message, refusal } = (await place.load().catch((error: unknown) => error)) as VitrineError
  expect(refusal).toMatchObject({ problem: { kind: 'unknown-key', nearest: 'shell.timeout_ms' } })
  const [what, ...rest] = message.split('\n')
  expect(what?.startsWith(`${file}:2:1: shell.timout_ms: `)).toBe(true)
  expect(rest.slice(0, 2)).toEqual(['2 | timout_ms = 3', '  | ^^^^^^^^^'])
  expect(rest).toHaveLength(3)
})

it('the excerpt of a long line is a window around the place', async () => {
  const place = makePlace()
  place.write(place.userFile, `[shell]\n${' '.repeat(5000)}timeout_ms = "x" # ${'y'.repeat(5000)}\n`)
  const { column, excerpt } = await place.refusal()
  const [shown = '', carets = ''] = (excerpt ?? '').split('\n')
  expect(column).toBe(5014)
  expect(shown.length).toBeLessThan(140)
  expect(shown.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('"x"')
})

it('what a terminal would obey is not in the excerpt, nor in the message', async () => {
  const place = makePlace()
  place.write(join(place.home, 'evil\u001b[2J', 'x.toml'), '[shell]\nmode = "\u001b]0;owned\u0007"\n')
  const configFile = join(place.home, 'evil\u001b[2J', 'x.toml')
  const error = await place.load({ configFile }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(VitrineError)
  expect((error as VitrineError).message).not.toMatch(/(?!\n)\p{Cc}/u)
})

describe('a config file that cannot be used is an error', () => {
  const reasons = [
    {
      name: 'a directory',
      reason: 'it is a directory',
      make: (file: string) => mkdirSync(file, { recursive: true }),
    },
    {
      name: 'a FIFO, without waiting for a writer',
      reason: 'it is not a regular file',
      make: (file: string) => execFileSync('mkfifo', [file]),
    },
    {
      name: 'a symlink to a device, which is not opened',
      reason: 'it is not a regular file',
      make: (file: string) => symlinkSync('/dev/zero', file),
    },
    {
      name: 'a symlink to nothing',
      reason: 'it is a dangling symbolic link',
      make: (file: string) => symlinkSync('/nonexistent/file', file),
    },
    { name: 'a symlink to itself', reason: 'ELOOP', make: (file: string) => symlinkSync(file, file) },
  ]

  it.each(reasons)('$name', async ({ reason, make }) => {
    const place = makePlace()
    make(place.projectFile)
    expect(await place.refusal()).toEqual({
      code: 'CONFIG_INVALID',
      file: place.projectFile,
      problem: { kind: 'unreadable', reason },
    })
  })

  it('a writer that waits at a FIFO is not let go', async () => {
    const place = makePlace()
    const [fifo, mark] = [join(place.home, 'fifo'), join(place.home, 'mark')]
    execFileSync('mkfifo', [fifo])
    symlinkSync(fifo, place.projectFile)
    const writer = spawn('sh', ['-c', `exec 3>'${fifo}'; echo gone >'${mark}'`], { stdio: 'ignore' })
    expect(await waitFor(() => processEntry(writer.pid ?? 0)?.state === 'S')).toBe(true)
    await place.refusal()
    // Long enough for the writer to go on, if it could.
    await sleep(300)
    expect(existsSync(mark)).toBe(false)
    writer.kill('SIGKILL')
  })

  const contents = [
    {
      name: 'more than 1 MiB',
      reason: 'it is larger than 1048576 bytes',
      bytes: Buffer.alloc(1_048_577, '#'),
    },
    {
      name: 'bytes that are not UTF-8',
      reason: 'it is not UTF-8 (line 2)',
      bytes: Buffer.from([0x23, 0x0a, 0x23, 0xff, 0x0a]),
    },
  ]

  it.each(contents)('$name', async ({ reason, bytes }) => {
    const place = makePlace()
    place.write(place.userFile, bytes)
    expect(await place.refusal()).toMatchObject({
      file: place.userFile,
      problem: { kind: 'unreadable', reason },
    })
  })

  it('1 MiB exactly is read', async () => {
    const place = makePlace()
    place.write(place.userFile, Buffer.alloc(1_048_576, '#'))
    expect((await place.load()).files).toHaveLength(1)
  })

  it('a --config file that does not exist', async () => {
    const place = makePlace()
    const configFile = join(place.home, 'none.toml')
    expect(await place.refusal({ configFile })).toMatchObject({
      file: configFile,
      problem: { kind: 'unreadable', reason: 'it does not exist' },
    })
  })

  it('a file without read permission', async () => {
    const place = makePlace()
    chmodSync(place.home, 0o755)
    chmodSync(place.write(place.projectFile, '[shell]\nnetwork = false\n'), 0)
    const refusal = await asOrdinaryUser(() => place.refusal())
    expect(refusal).toMatchObject({
      file: place.projectFile,
      problem: { kind: 'unreadable', reason: 'no permission to read it (EACCES)' },
    })
  })
})

/** root reads everything; then nobody (65534) does it, for as long as `act` takes. */
async function asOrdinaryUser<T>(act: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}
