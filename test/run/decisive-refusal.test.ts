import { expect, it } from 'vitest'
import type { Denial } from '../../src/base/types.ts'
import { type HintContext, refusalHint } from '../../src/run/refusal-hint.ts'

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
