import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { buildPrograms } from '../../../attacks/build.ts'
import { type User, users } from '../../../attacks/table.ts'
import { credentials, giveTo, whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { runAs } from '../../../helpers/run-as.ts'
import { stateOf } from '../protected.ts'

/** The operations of test/fixtures/attack/workspace/races.c. */
export const operations = `
open O_CREAT, open O_CREAT|O_EXCL, open O_TRUNC, open O_RDWR, mkdir, mknod, symlink, link to, link from, rename to,
rename from, renameat2 RENAME_NOREPLACE, renameat2 RENAME_EXCHANGE, unlink, rmdir, truncate, chmod, utimensat, setxattr
`
  .trim()
  .split(/,\s+/)

/** Those of them that `npm test` tries: one that makes a file, one that takes two paths, one that removes, one that sets. */
export const quickOperations = ['open O_CREAT', 'rename to', 'unlink', 'chmod']

interface Place {
  readonly workspace: string
  readonly outside: string
}

/** What the program exchanges: a directory inside, and links that lead outside and to what is protected. */
function fill(base: string, up: string): void {
  for (const name of ['swap', 'real']) {
    mkdirSync(join(base, name, 'hooks'), { recursive: true })
    writeFileSync(join(base, name, 'config'), 'inside')
  }
  for (const [name, target] of [
    ['link-out', '../outside'],
    ['link-git', '.git'],
    ['link-vscode', '.vscode'],
  ] as const)
    symlinkSync(join(up, target), join(base, name))
}

function victim(directory: string): void {
  mkdirSync(join(directory, 'hooks'), { recursive: true })
  writeFileSync(join(directory, 'config'), '# not to be changed')
}

function makePlace(user: User): Place {
  const parent = makeDirectory()
  const place = { workspace: join(parent, 'work'), outside: join(parent, 'outside') }
  for (const directory of [place.outside, join(place.workspace, '.git'), join(place.workspace, '.vscode')])
    victim(directory)
  fill(place.workspace, '')
  fill(join(place.workspace, 'granted'), '..')
  fill(join(place.workspace, 'p'), '..')
  chmodSync(parent, 0o755)
  giveTo(user, parent)
  return place
}

/** In `.git` other names may come and go: a path that changes while it is read can name one of them. */
const protectedInGit = ['commondir', 'config', 'config.worktree', 'info/attributes', 'hooks']

const watched = ({ workspace, outside }: Place) => ({
  outside: stateOf(outside),
  vscode: stateOf(join(workspace, '.vscode')),
  git: stateOf(...protectedInGit.map((name) => join(workspace, '.git', name))),
})

interface Raced {
  readonly before: ReturnType<typeof watched>
  readonly after: ReturnType<typeof watched>
  readonly tries: number
  readonly succeeded: number
  readonly ms: number
}

/** Makes the operation so often while a process outside of the sandbox exchanges the names that its paths go through. */
async function race(
  user: User,
  mode: 'workspace' | 'write',
  operation: string,
  tries: number,
): Promise<Raced> {
  const place = makePlace(user)
  const program = buildPrograms().races
  const before = watched(place)
  const swapper = spawn(program, ['swap'], { cwd: place.workspace, stdio: 'ignore', ...credentials(user) })
  const ended = new Promise((resolve) => swapper.on('close', resolve))
  try {
    const [result] = await runAs(user, {
      options: { mode, cwd: place.workspace },
      commands: [[program, operation, String(tries)]],
      timeoutMs: 900_000,
    })
    expect(result?.exitCode, result?.stderr).toBe(0)
    const { tries: done, succeeded } = JSON.parse(result?.stdout ?? '') as Raced
    return { before, after: watched(place), tries: done, succeeded, ms: result?.durationMs ?? 0 }
  } finally {
    swapper.kill('SIGKILL')
    await ended
  }
}

/** describeManyRaces makes more of each, as an ordinary user as well. */
const few = 500

/** A few races of each operation, and the proof that the same races do harm in write mode. */
export function describeRaces(operations: readonly string[]): void {
  describe.runIf(process.platform === 'linux')('races against workspace mode', () => {
    it.for(operations)(
      '%s changes nothing outside and nothing protected, as it does in write mode',
      async (operation) => {
        const [user] = users
        if (!user) throw new Error('there is no user')
        const held = await race(user, 'workspace', operation, few)
        expect(held.after).toEqual(held.before)
        expect(held.tries).toBe(few)
        expect(held.succeeded).toBeGreaterThan(few / 1000)
        // Which name an operation meets is chance: without the sandbox it is made until it has met both.
        const met = { outside: false, git: false }
        for (let round = 0; round < 20 && !(met.outside && met.git); round++) {
          const { before, after } = await race(user, 'write', operation, few)
          met.outside ||= !isDeepStrictEqual(after.outside, before.outside)
          met.git ||= !isDeepStrictEqual(after.git, before.git)
        }
        expect(met).toEqual({ outside: true, git: true })
      },
    )
  })
}

/** By each of two users. describeRaces makes fewer, and the control. */
const many = Number(process.env['VITRINE_RACES'] ?? 100_000)

/** Alone: beside another race each call waits for its turn on a processor, ten times as long as it takes. */
export function describeManyRaces(user: User): void {
  describe.runIf(process.platform === 'linux' && whyNot(user) === null)(
    `${many} races against workspace mode as ${user.name}`,
    () => {
      it.for(operations)(
        '%s changes nothing outside and nothing protected',
        { timeout: 1_000_000 },
        async (operation) => {
          const raced = await race(user, 'workspace', operation, many)
          const { before, after, tries, succeeded, ms } = raced
          console.info(`${user.name} ${operation}: ${tries} tries, ${succeeded} succeeded inside, ${ms} ms`)
          expect(after).toEqual(before)
          expect(tries).toBe(many)
          expect(succeeded).toBeGreaterThan(many / 1000)
        },
      )
    },
  )
}
