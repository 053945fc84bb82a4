import { expect, it } from 'vitest'
import { hintBehind } from '../../src/base/hint.ts'
import { atMostTime } from '../../src/run/result.ts'
import { openTestShell } from '../helpers/place.ts'

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

it('a command whose time was lowered is told to do less, not to ask for more, and no other', async () => {
  const shell = await openTestShell({ mode: 'read', toml: '[shell]\nmax_timeout_ms = 300\n' })
  const { failure, outcome } = await shell.execute({ command: 'sleep 60', timeoutMs: 50_000 })
  expect(outcome).toEqual({ kind: 'timed-out', afterMs: 300 })
  expect(failure).toMatchObject({ kind: 'timeout', advice: atMostTime })
  const other = await shell.execute({ command: 'sleep 60', timeoutMs: 300 })
  expect(other.failure?.kind).toBe('timeout')
  expect(other.failure?.advice).not.toBe(atMostTime)
})

/** The refusal that the hint is about, of a command that tries to make directories and then prints what it says of errors. */
async function about(paths: readonly string[], errors: string): Promise<string | undefined> {
  const shell = await openTestShell({
    mode: 'read',
    env: { ERRORS: errors },
    toml: '[env]\npass = ["ERRORS"]\n',
  })
  const command = `for path in ${paths.join(' ')}; do mkdir $path 2>/dev/null; done; echo "$ERRORS" >&2; exit 1`
  const named = hintBehind(await shell.execute({ command }))?.named ?? []
  return named[0]?.path?.replace(`${shell.cwd}/`, '')
}

it.for([
  ['b.log', 'x: cannot create b.log: Permission denied'],
  ['b.log', 'x: cannot create ../project/b.log: Permission denied'],
  ['index', 'x: cannot create index: Permission denied'],
  ['index', 'x: it did not work'],
  ['index', ''],
  ['b', 'cannot create b'],
  ['b', "cannot create '/home/b'."],
  ['index', 'a-b: cannot create it'],
  ['index', 'b.log.old: cannot create it'],
  ['index', 'cannot write blob'],
  ['/tmp/vitrine-made', 'No usable temporary directory found'],
] as const)('of several refusals a hint is about %s: %s', async ([path, errors]) => {
  expect(await about(['index', 'b.log', 'b', '/tmp/vitrine-made'], errors)).toBe(path)
})

it('the log of a database decides before everything else', async () => {
  expect(await about(['index', 'data.db-wal'], 'index: Permission denied')).toBe('data.db-wal')
})
