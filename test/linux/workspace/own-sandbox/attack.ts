import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Mode, Result } from '../../../../src/base/types.ts'
import { thisHost } from '../../../../src/host/host.ts'
import type { User } from '../../../attacks/table.ts'
import { whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { isInstalled } from '../../../helpers/programs.ts'
import { runTasksAs, type Task } from '../../../helpers/run-as.ts'
import { makeWorkspace } from '../protected.ts'
import { treeOf } from '../twins/twins.ts'
import { type OwnSandboxRow, ownSandboxRows, prelude } from './rows.ts'

interface Attempt {
  readonly cwd: string
  readonly task: Task
}

type Parts = Pick<OwnSandboxRow, 'before' | 'narrow'> & { readonly act?: string }

/** In a copy of the user's workspace. */
function attempt(template: string, mode: Mode, { before = '', narrow = '', act = '' }: Parts): Attempt {
  const parent = makeDirectory()
  const cwd = join(parent, 'work')
  chmodSync(parent, 0o755)
  execFileSync('cp', ['-a', template, cwd])
  const argv = ['python3', '-c', `${prelude}\n${before}\n${narrow}\n${act}`]
  return { cwd, task: { options: { mode, cwd }, commands: [argv] } }
}

interface Outcome {
  readonly state: unknown
  readonly result: Result | undefined
}

/** A row within its own sandbox, without it, and within it outside of vitrine's. */
interface Shown {
  readonly narrowed: Outcome
  readonly free: Outcome
  readonly outside: Outcome
}

async function tryAll(user: User, rows: readonly OwnSandboxRow[]) {
  const template = makeWorkspace(user)
  const befores = [...new Set(rows.map(({ before }) => before))]
  const attempts = [
    ...befores.map((before) => attempt(template, 'workspace', before === undefined ? {} : { before })),
    ...rows.flatMap(({ narrow = 'landlock()', ...row }) => [
      attempt(template, 'workspace', { ...row, narrow }),
      attempt(template, 'workspace', row),
      attempt(template, 'write', { ...row, narrow }),
    ]),
  ]
  const results = await runTasksAs(
    user,
    attempts.map(({ task }) => task),
    { timeoutMs: 30_000 },
  )
  const outcomes = attempts.map(({ cwd }, at): Outcome => ({ state: treeOf(cwd), result: results[at]?.[0] }))
  const [unacted, acted] = [outcomes.slice(0, befores.length), outcomes.slice(befores.length)]
  return (row: OwnSandboxRow): Shown & { readonly before: Outcome } => {
    const [narrowed, free, outside] = acted.slice(3 * rows.indexOf(row)) as [Outcome, Outcome, Outcome]
    return { before: unacted[befores.indexOf(row.before)] as Outcome, narrowed, free, outside }
  }
}

const landlockAbi = thisHost().probe?.landlockAbi ?? 0

/** Each row, in a sandbox of its own, changes nothing that the kernel would refuse it outside of vitrine. */
export function describeOwnSandboxes(user: User): void {
  const canRun = process.platform === 'linux' && isInstalled('python3') && whyNot(user) === null
  describe.runIf(canRun)(`a program of a command with a sandbox of its own, as ${user.name}`, () => {
    const rows = ownSandboxRows.filter(({ root, abi = 0 }) => (!root || user.uid === 0) && abi <= landlockAbi)
    let shown: Awaited<ReturnType<typeof tryAll>>

    beforeAll(async () => {
      shown = await tryAll(user, rows)
    }, 600_000)

    it.for(rows)('$name', (row) => {
      const { before, narrowed, free, outside } = shown(row)
      expect(before.result, before.result?.stderr).toMatchObject({ exitCode: 0 })
      expect(free.state, free.result?.stderr).not.toEqual(before.state)
      expect(outside.state, 'outside of vitrine').toEqual(row.done ? free.state : before.state)
      expect(narrowed.state, narrowed.result?.stderr).toEqual(row.done ? free.state : before.state)
      expect(narrowed.result?.exitCode === 0).toBe(row.done === true)
    })
  })
}
