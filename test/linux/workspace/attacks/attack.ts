import { execFileSync } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../../../src/base/types.ts'
import { type User, users } from '../../../attacks/table.ts'
import { whyNot } from '../../../helpers/other-users.ts'
import { isInstalled } from '../../../helpers/programs.ts'
import { runTasksAs } from '../../../helpers/run-as.ts'
import { filterAround } from '../../../helpers/surroundings.ts'
import { makeWorkspace, watched } from '../protected.ts'
import type { Row } from '../protected-rows.ts'

/** A workspace, by the path that the command has and by the one that the test has. */
export interface Ground {
  readonly cwd: string
  readonly seen: string
}

/** Where workspaces are made and the host runs. */
export interface Place {
  ground(user: User): Ground
  /** How the host starts there, as that user. */
  wrapper?(user: User): readonly string[]
}

const here: Place = {
  ground(user) {
    const cwd = makeWorkspace(user)
    return { cwd, seen: cwd }
  },
}

interface Attempt {
  readonly row: Row
  readonly mode: 'workspace' | 'write'
  readonly cwd: string
  readonly before: unknown
  after(): unknown
}

const missing = ({ needs = [] }: Row) => needs.find((program) => !isInstalled(program))

function prepare({ prepare: program }: Row, cwd: string): void {
  if (program) execFileSync('python3', ['-c', `import os, sys; os.chdir(sys.argv[1])\n${program}`, cwd])
}

function stateOf({ look }: Row, cwd: string): unknown {
  const [program = '', ...words] = look ?? []
  const options = { cwd, encoding: 'utf8', stdio: 'pipe' } as const
  return { ...watched(cwd), look: program && execFileSync(program, words, options) }
}

function begin(user: User, row: Row, mode: Attempt['mode'], place: Place): Attempt {
  const { cwd, seen } = place.ground(user)
  prepare(row, seen)
  return { row, mode, cwd, before: stateOf(row, seen), after: () => stateOf(row, seen) }
}

const hasControl = (user: User, row: Row) => !row.root || user.uid === 0

type Outcome = Pick<Attempt, 'row' | 'mode' | 'before'> & { after: unknown; result: Result | undefined }

/** Each row in a workspace of its own for each mode. */
async function tryAll(user: User, rows: readonly Row[], place: Place): Promise<Outcome[]> {
  const attempts = rows
    .filter((row) => !missing(row))
    .flatMap((row) => [
      begin(user, row, 'workspace', place),
      ...(hasControl(user, row) ? [begin(user, row, 'write', place)] : []),
    ])
  const tasks = attempts.map(({ row, mode, cwd }) => ({ options: { mode, cwd }, commands: [row.argv] }))
  const wrapper = place.wrapper?.(user)
  const starter = wrapper ? users[0] : user
  const results = await runTasksAs(starter ?? user, tasks, { wrapper, timeoutMs: 30_000 })
  return attempts.map(({ row, mode, before, after }, at) => ({
    row,
    mode,
    before,
    after: after(),
    result: results[at]?.[0],
  }))
}

/** As each user, each row changes nothing in workspace mode, and something in write mode. */
export function describeAttacks(title: string, rows: readonly Row[], place = here): void {
  for (const user of users)
    describe.runIf(process.platform === 'linux' && whyNot(user) === null)(`${title}, as ${user.name}`, () => {
      let outcomes: readonly Outcome[] = []
      const of = (row: Row, mode: Attempt['mode']) =>
        outcomes.find((outcome) => outcome.row === row && outcome.mode === mode)

      beforeAll(async () => {
        outcomes = await tryAll(user, rows, place)
      }, 900_000)

      it.for(rows)('$name', (row, { skip }) => {
        if (missing(row)) return skip(`${missing(row)} is not installed`)
        const held = of(row, 'workspace')
        expect(held?.result).toBeDefined()
        expect(held?.after, held?.result?.stderr).toEqual(held?.before)
        if (!hasControl(user, row)) return skip('held; the control takes root')
        const open = of(row, 'write')
        expect(open?.result).toBeDefined()
        const refused = row.refusedInContainers ? filterAround() : null
        if (refused && isDeepStrictEqual(open?.after, open?.before)) return skip(`held; ${refused}`)
        expect(open?.after, open?.result?.stderr).not.toEqual(open?.before)
      })
    })
}
