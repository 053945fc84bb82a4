import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Denial } from '../../src/base/types.ts'
import { unsearchedNote } from '../../src/messages/reads.ts'
import { atMostTime } from '../../src/messages/refusal.ts'
import { type HintContext, refusalHint } from '../../src/run/refusal-hint.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

it.each([
  ['true', undefined, 0],
  ['echo "Permission denied" >&2', undefined, 0],
  ['exit 3', 'non-zero', 3],
  ['echo "x: Permission denied" >&2; exit 3', 'permission-denied', 3],
  ['echo "x: Read-only file system" >&2; exit 3', 'permission-denied', 3],
  ['no-such-program', 'not-found', 127],
  ['/etc/passwd', 'permission-denied', 126],
  ['kill -KILL $$', 'signal', null],
] as const)('%s: failure %s', async (command, kind, exitCode) => {
  const shell = await openTestShell({ mode: 'read' })
  const result = await shell.execute({ command })
  expect([result.failure?.kind, result.exitCode]).toEqual([kind, exitCode])
})

it('a command whose time was lowered is told to do less, not to ask for more', async () => {
  const shell = await openTestShell({ mode: 'read', toml: '[shell]\nmax_timeout_ms = 300\n' })
  const { failure, outcome } = await shell.execute({ command: 'sleep 60', timeoutMs: 50_000 })
  expect(outcome).toEqual({ kind: 'timed-out', afterMs: 300 })
  expect(failure).toMatchObject({ kind: 'timeout', advice: atMostTime })
})

it('a command with the time that it asked for is not told so', async () => {
  const shell = await openTestShell({ mode: 'read' })
  const { failure } = await shell.execute({ command: 'sleep 60', timeoutMs: 300 })
  expect(failure?.kind).toBe('timeout')
  expect(failure?.advice).not.toBe(atMostTime)
})

it.each([
  [1999, 'exited'],
  [2000, 'exited'],
  [2001, 'output-limit'],
] as const)('%d bytes with a limit of 2000: %s', async (bytes, kind) => {
  const shell = await openTestShell({ mode: 'read', toml: '[output]\nmax_bytes = 2000\n' })
  const { outcome, outputLimited } = await shell.execute({ command: `head -c ${bytes} /dev/zero` })
  expect([outcome.kind, outputLimited]).toEqual([kind, kind === 'output-limit'])
})

it('output that cannot be saved does not end the command', async () => {
  const nowhere = { XDG_STATE_HOME: '/proc/none', TMPDIR: '/proc/none' }
  const shell = await openTestShell({ mode: 'read', env: nowhere })
  const { outcome, bytes } = await shell.execute({ command: 'seq 1 100000; exit 4' })
  expect([outcome, bytes]).toEqual([{ kind: 'exited', code: 4 }, 588_895])
})

describe.runIf(process.platform === 'linux')('the search for unreadable names', () => {
  it('is told where it was not complete, and only there', async () => {
    const cwd = makeDirectory()
    writeFileSync(join(cwd, '.env'), 'secret')
    const shell = await openTestShell({ cwd, mode: 'read', toml: '[shell]\nunreadable = "secrets"\n' })
    const { enforcement, exitCode } = await shell.execute({ command: 'cat .env' })
    expect(exitCode).not.toBe(0)
    expect(enforcement['unreadable']?.note).not.toBe(unsearchedNote)
  })
})

function denial(path: string, operation: Denial['operation'] = 'create'): Denial {
  return { operation, path, syscall: 'openat', pid: 1, program: 'x', count: 1 }
}

/** The refusal that the hint is about. */
function about(paths: readonly (string | Denial)[], errors: string, cwd = '/home'): string | undefined {
  const hint = refusalHint({
    mode: 'read',
    denials: paths.map((path) => (typeof path === 'string' ? denial(path) : path)),
    networkIsShut: true,
    connections: undefined,
    temporary: { directory: '/tmp', own: false, cwd },
    workspace: {
      changes: () => undefined,
      opening: () => ({ kind: 'shut' }),
      repository: () => undefined,
      homes: () => undefined,
    },
    errors,
    succeeded: false,
    single: true,
    ownSockets: 'open',
  } satisfies HintContext)
  return hint && hint.about !== 'network' ? hint.about.path : undefined
}

const [first, second] = ['/home/a/.cache/index', '/home/a/project/build.log']

it.each([
  [`x: cannot create ${second}: Permission denied`, second],
  ['x: cannot create build.log: Permission denied', second],
  ['x: cannot create ../project/build.log: Permission denied', second],
  ['x: cannot create index: Permission denied', first],
  ['x: it did not work', first],
  ['', first],
])('of several refusals a hint is about the one that the command names: %s', (errors, path) => {
  expect(about([first, second], errors)).toBe(path)
})

it('a whole path decides before the last name of another one', () => {
  expect(about(['/home/log', '/home/a/b'], 'cannot write /home/a/b, see the log')).toBe('/home/a/b')
})

it.each([
  ['cannot create b', '/home/b'],
  ["cannot create '/home/b'.", '/home/b'],
  ['a-b: cannot create it', '/home/x/log'],
  ['b.log: cannot create it', '/home/x/log'],
  ['cannot write blob', '/home/x/log'],
])('a short name counts where it is a word: %s', (errors, path) => {
  expect(about(['/home/x/log', '/home/b'], errors)).toBe(path)
})

it('where a program finds no place for a temporary file the hint is about one of those', () => {
  const said = 'No usable temporary directory found'
  expect(about([first, '/tmp/made1', '/var/tmp/made2'], said)).toBe('/tmp/made1')
  expect(about([first, '/tmp/made1'], said, '/tmp/made1')).toBe(first)
})

it('the log of a database decides before everything else', () => {
  expect(about([first, '/home/a/data.db-wal'], `${first}: Permission denied`)).toBe('/home/a/data.db-wal')
})
