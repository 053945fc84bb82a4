import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Opening } from '../../src/base/hint.ts'
import type { Denial, Enforcement, Failure, Mode } from '../../src/base/types.ts'
import { lostAdvice, lostHint } from '../../src/messages/docker.ts'
import { describeHint, remedies } from '../../src/messages/hints.ts'
import { openFilesHint } from '../../src/messages/limits.ts'
import { readsHint } from '../../src/messages/reads.ts'
import { adviceFor, describeRefusal, hintFor, notSavedHint, unsavedHint } from '../../src/messages/refusal.ts'
import { type OwnSockets, refusalHint } from '../../src/run/refusal-hint.ts'
import { Home } from '../cli/vitrine.ts'
import { makeDirectory } from '../helpers/place.ts'
import { connect } from './connect.ts'

const row = { enforced: true, by: 'landlock' }
const refused: Failure = { kind: 'permission-denied', ...adviceFor('permission-denied', 'tool') }
const kinds: Failure['kind'][] = ['timeout', 'limit', 'permission-denied', 'not-found', 'signal', 'non-zero']

function denied(
  mode: Mode,
  rest: Pick<Denial, 'operation' | 'path' | 'address' | 'protected'>,
  ownSockets: OwnSockets = 'open',
) {
  const denials = [{ ...rest, syscall: 'x', pid: 1, program: 'x', count: 1 }]
  const temporary = { directory: '/tmp', own: false, cwd: '/home' }
  const workspace = {
    changes: () => ({ roots: ['/home/w'] as const, protected: ['/home/w/.vscode'], closed: [] }),
    opening: (path: string): Opening =>
      path.startsWith('/home/.ssh')
        ? { kind: 'obeyed', place: '/home/.ssh', by: 'ssh' }
        : { kind: path === '/home' ? 'shut' : 'open' },
    homes: () => ({ named: '/home', passwd: '/passwd' }),
    repository: (path: string) =>
      path.startsWith('/meta')
        ? ({ kind: 'repository', how: 'repair', tree: '/home/w' } as const)
        : undefined,
  }
  const about = {
    networkIsShut: true,
    connections: undefined,
    temporary,
    workspace,
    ownSockets,
    errors: '',
    succeeded: false,
    single: true,
  }
  const hint = refusalHint({ mode, denials, ...about })
  return hint && describeHint(hint, 'tool')
}

/** Everything that a result can advise the reader of a tool's answer to do. */
const said: readonly (string | undefined)[] = [
  ...kinds.map((kind) => adviceFor(kind, 'tool').advice),
  hintFor('read', refused, row, 'tool', ''),
  hintFor('read', refused, undefined, 'tool', ''),
  notSavedHint('ENOSPC', 'tool'),
  unsavedHint('ENOSPC', 'tool'),
  lostHint('x', 'tool'),
  lostAdvice('tool'),
  openFilesHint({ openFiles: 8 } as Parameters<typeof openFilesHint>[0], 1, 'Too many open files'),
  readsHint('read', { reads: row, unreadable: row } satisfies Enforcement, refused, 'tool'),
  readsHint('workspace', { unreadable: row } satisfies Enforcement, refused, 'tool', '/home/.env'),
  denied('read', { operation: 'create', path: '/tmp/x' }),
  denied('read', { operation: 'create', path: '/home/x' }),
  denied('read', { operation: 'socket', address: 'inet' }),
  denied('workspace', { operation: 'connect', address: '127.0.0.1:5432' }),
  ...(['setting', 'no-private-tmp', { lacks: 'x' }] as const).map((shut) =>
    denied('read', { operation: 'device', path: '/dev/ptmx' }, shut),
  ),
  denied('read', { operation: 'create', path: '/home/w/x' }),
  denied('workspace', { operation: 'create', path: '/home/x' }),
  denied('workspace', { operation: 'create', path: '/opt/x/y' }),
  denied('workspace', { operation: 'create', path: '/home/.ssh/config' }),
  denied('workspace', { operation: 'create', path: '/passwd/.ssh/known_hosts' }),
  denied('workspace', { operation: 'create', path: '/meta/index.lock' }),
  denied('workspace', { operation: 'create', path: '/other/.git/index.lock' }),
  denied('workspace', { operation: 'write', path: '/home/w/.vscode', protected: true }),
  denied('workspace', { operation: 'rename', path: '/home/w/.git/config', protected: true }),
  ...(['blank-command', 'too-long', 'cwd', 'unsavable'] as const).map((kind) => {
    const problem = { kind, field: 'command', bytes: 2, limit: 1, path: '/x', reason: 'deleted', name: 'x' }
    return describeRefusal({ code: 'INVALID_REQUEST', problem: problem as never }, 'tool')
  }),
]

describe('hints and advice for the reader of a tool’s answer', () => {
  it.each(said)('%s', (text) => {
    expect(text).toBeTypeOf('string')
    // An option, a field of the library, or the user's way to write mode: none of them is a parameter of a tool.
    expect(text).not.toMatch(/(^|\W)--\w|\bargv\b|\bstdin\b|timeoutMs|privateTmp/)
    expect(text).not.toContain(remedies.user.write)
  })

  it('a deadline names timeout_ms', async () => {
    const { run } = await connect(['--structured'])
    const { structured } = await run({ command: 'sleep 60', timeout_ms: 200 })
    expect(structured).toMatchObject({ failure: { advice: expect.stringContaining('timeout_ms') } })
  })

  it('a path kept from being read is the user’s to open, a change the write tool’s', async () => {
    const home = new Home()
    home.configure('[shell]\nreads = "workspace"\n')
    const file = join(makeDirectory(), 'file')
    writeFileSync(file, 'x')
    const { run } = await connect([], { home })
    const { text } = await run({ command: `cat ${file}` })
    const failure: Failure = { kind: 'permission-denied', ...adviceFor('permission-denied', 'tool') }
    expect(text).toContain(`[${readsHint('read', { reads: row }, failure, 'tool', file)}]`)
  })

  it.for([
    ['echo "x: Permission denied" >&2; exit 1', false],
    ['echo "/dev/x: Permission denied" >&2; exit 1', true],
  ] as const)(
    'where no refusal is known, what it may be is said, with the write tool: %s',
    async ([command, isDevice]) => {
      const { run } = await connect([])
      const { text } = await run({ command })
      expect(text).toContain(`[${hintFor('read', refused, row, 'tool', isDevice ? '/dev/x' : '')}]`)
    },
  )

  it.for(['./tool', 'echo "x: Read-only file system" >&2; exit 1'])(
    'nothing where the sandbox has no part: %s',
    async (command) => {
      const { run, home } = await connect([])
      writeFileSync(join(home.directory, 'tool'), '#!/bin/sh\n', { mode: 0o644 })
      const { text } = await run({ command })
      expect(text).toMatch(/\[exit code: 1(26)?\]/)
      expect(text).not.toContain(remedies.tool.write)
    },
  )

  it('output that cannot be saved: ask for less, or the user', async () => {
    const nowhere = { XDG_STATE_HOME: '/proc/none', TMPDIR: '/proc/none' }
    const { run } = await connect([], { env: nowhere })
    const long = await run({ command: 'seq 1 100000' })
    const reason = /not saved \(([^\n]*)\) \.\.\.\]/.exec(long.text)?.[1] ?? ''
    expect(long.text).toContain(notSavedHint(reason, 'tool'))
    const named = await run({ command: 'echo x', scratchpad: 'x' })
    expect(named).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^INVALID_REQUEST: .*"x".*XDG_STATE_HOME/),
    })
  })
})
