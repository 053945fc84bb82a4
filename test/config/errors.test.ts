import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { VitrineError } from '../../src/messages/error.ts'
import { processEntry, waitFor } from '../helpers/processes.ts'
import { bad, makePlace, unknown, wrong } from './place.ts'

const integer = 'an integer from 1 to 2147483647'
const host = 'HOST, *.HOST or an address, each with :PORT or without; or true or false in place of the list'
const ruleTable =
  'a table with prefix, verdict, reason, match, not_match, allow_options, ask_options, deny_options, operands'
const [withoutNul, option] = ['a path without a NUL byte', 'an option such as "--force"']
const syntax = { kind: 'syntax', detail: expect.stringContaining('invalid value') }
const rule = '[[policy.rule]]\nprefix = ["git"]\nverdict = "ask"\n'

/** A file, the place of its fault as LINE:COLUMN+LENGTH, the key, and what is wrong. */
const cases: readonly (readonly [toml: string, at: string, key: string, problem: object])[] = [
  ['[shell]\ntimout_ms = 3\n', '2:1+9', 'shell.timout_ms', unknown('shell.timeout_ms')],
  ['[shel]\ntimeout_ms = 3\n', '1:2+4', 'shel', unknown('shell')],
  ['timeout_ms = 3\n', '1:1+10', 'timeout_ms', unknown('shell.timeout_ms')],
  ['shell.netwrok = true\n', '1:7+7', 'shell.netwrok', unknown('shell.network')],
  ['[__proto__]\nmode = "write"\n', '1:2+9', '__proto__', unknown()],
  [`${rule}matches = []\n`, '4:1+7', 'policy.rule[0].matches', unknown('match')],
  ['[shell]\nunreadable = ["/a", 3]\n', '2:21+1', 'shell.unreadable[1]', wrong('a path', 'the number 3')],
  ['[env]\nset = ["A=1"]\n', '2:7+7', 'env.set', wrong('a table of strings', 'a list')],
  ['[shell]\n  timeout_ms = "30s" # x\n', '2:16+5', 'shell.timeout_ms', wrong(integer, 'the string "30s"')],
  ['[shell]\r\n\tsandbox =\t2024-01-01\r\n', '2:12+10', 'shell.sandbox', wrong('true or false', 'a date')],
  ['[policy]\ndeny = [\n  "rm",\n  3,\n]\n', '4:3+1', 'policy.deny[1]', wrong('a command', 'the number 3')],
  ['[env]\nset = { A = "1", B = 2 }\n', '2:22+1', 'env.set.B', wrong('a string', 'the number 2')],
  [`${rule}[[policy.rule]]\n`, '4:3+11', 'policy.rule[1]', wrong(ruleTable, 'a table without prefix')],
  ['[shell]\ntimeout_ms = 0\n', '2:14+1', 'shell.timeout_ms', bad(integer, 'the number 0')],
  ['[shell]\nnetwork = [\n"a.b",\n"b c"]\n', '4:1+5', 'shell.network[1]', bad(host, 'the string "b c"')],
  ['[audit]\npath = "\\u0000"\n', '2:8+8', 'audit.path', bad(withoutNul, 'the string "\\u0000"')],
  ['[shell]\nreads = "x"\n', '2:9+3', 'shell.reads', bad('"everywhere" or "workspace"', 'the string "x"')],
  [`${rule}ask_options = ["f"]\n`, '4:16+3', 'policy.rule[0].ask_options[0]', bad(option, 'the string "f"')],
  ['[shell]\nmode = read\n', '2:8+1', '', syntax],
]

describe.each(['user', 'project'] as const)('in the %s file', (which) => {
  it.each(cases)('%j stops with its place: %s', async (toml, at, key, problem) => {
    const place = makePlace()
    const file = place.write(which === 'user' ? place.userFile : place.projectFile, toml)
    const [line = 0, column = 0, length = 0] = at.split(/[:+]/).map(Number)
    const text = toml.split(/\r?\n/)[line - 1] ?? ''
    const blank = text.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')
    const excerpt = `${line} | ${text}\n  | ${blank}${'^'.repeat(length)}`
    const expected = { code: 'CONFIG_INVALID', file, line, column, problem, excerpt }
    expect(await place.refusal()).toEqual(key === '' ? expected : { ...expected, key })
  })
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
  const tooMuch = ' '.repeat(2 ** 20 + 1)
  const reasons: readonly (readonly [name: string, reason: string, make: (file: string) => void])[] = [
    ['a directory', 'it is a directory', (file) => mkdirSync(file)],
    ['a FIFO, without waiting', 'it is not a regular file', (file) => execFileSync('mkfifo', [file])],
    ['a link to a device', 'it is not a regular file', (file) => symlinkSync('/dev/zero', file)],
    ['a link to nothing', 'it is a dangling symbolic link', (file) => symlinkSync('/none', file)],
    ['a link to itself', 'ELOOP', (file) => symlinkSync(file, file)],
    ['more than 1 MiB', 'it is larger than 1048576 bytes', (file) => writeFileSync(file, tooMuch)],
    ['no UTF-8', 'it is not UTF-8 (line 2)', (file) => writeFileSync(file, '#\n#\xff\n', 'latin1')],
  ]

  it.each(reasons)('%s: %s', async (_, reason, make) => {
    const place = makePlace()
    make(place.projectFile)
    const problem = { kind: 'unreadable', reason }
    expect(await place.refusal()).toEqual({ code: 'CONFIG_INVALID', file: place.projectFile, problem })
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

  it('1 MiB exactly is read', async () => {
    const place = makePlace()
    place.write(place.userFile, Buffer.alloc(1_048_576, '#'))
    expect((await place.load()).files).toHaveLength(1)
  })

  it('a --config file that does not exist', async () => {
    const place = makePlace()
    const configFile = join(place.home, 'none.toml')
    const problem = { kind: 'unreadable', reason: 'it does not exist' }
    expect(await place.refusal({ configFile })).toMatchObject({ file: configFile, problem })
  })

  it('a file without read permission', async () => {
    const place = makePlace()
    chmodSync(place.home, 0o755)
    chmodSync(place.write(place.projectFile, '[shell]\nnetwork = false\n'), 0)
    const problem = { kind: 'unreadable', reason: 'no permission to read it (EACCES)' }
    // Root reads everything; then nobody does it.
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    const refusal = await place.refusal().finally(() => isRoot && process.seteuid?.(0))
    expect(refusal).toMatchObject({ file: place.projectFile, problem })
  })
})
