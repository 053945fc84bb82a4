import { expect, it } from 'vitest'
import type { Outcome, Result } from '../../../src/base/types.ts'
import { exitCodeOf } from '../../../src/cli/run/result.ts'

const rows: readonly (readonly [Outcome, Partial<Result>, number])[] = [
  [{ kind: 'exited', code: 0 }, { exitCode: 0 }, 0],
  [{ kind: 'exited', code: 3 }, { exitCode: 3 }, 3],
  [{ kind: 'signalled', signal: 'SIGSEGV' }, { signal: 'SIGSEGV' }, 139],
  [{ kind: 'timed-out', afterMs: 9 }, { signal: 'SIGTERM' }, 124],
  [{ kind: 'timed-out', afterMs: 9 }, { exitCode: 7 }, 124],
  [{ kind: 'limited', limit: 'processes', value: 1 }, { exitCode: 7 }, 137],
  [{ kind: 'cancelled' }, { exitCode: 7 }, 7],
  [{ kind: 'cancelled' }, { exitCode: 0 }, 0],
  [{ kind: 'cancelled' }, { signal: 'SIGTERM' }, 143],
  [{ kind: 'cancelled' }, {}, 125],
]

it.each(rows)('%j with %j: the exit code of `run` is %d', (outcome, given, code) => {
  expect(exitCodeOf({ exitCode: null, signal: null, ...given, outcome } as Result)).toBe(code)
})
