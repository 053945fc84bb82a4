import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { monotonicMs, within } from '../../base/clock.ts'
import { tried } from '../../base/errno.ts'
import { obeyedAt } from '../../base/obeyed-names.ts'
import { isBeneath } from '../../base/paths.ts'
import type { Handoff } from '../../base/types.ts'
import type { Note } from '../sandbox.ts'
import { type Repositories, topOf } from './repositories.ts'
import { walkFor } from './walk.ts'

/** What a launcher noticed of one command. */
interface Noticed {
  readonly notes?: readonly Note[] | undefined
  /** There is more than the notes say. */
  readonly unseen?: true | undefined
}

/** A call must return within a second after its deadline and grace; directories that take longer to search are told themselves. */
const searchMs = 300

/** Handoffs that a result lists. */
const maxHandoffs = 100

/** What a command newly made or changed that programs outside obey. Records the repositories among it. */
export async function handoffsOf(
  { notes = [], unseen }: Noticed,
  roots: readonly string[],
  repositories: Repositories,
): Promise<readonly Handoff[]> {
  const of = (kind: Note['kind']) => notes.filter((note) => note.kind === kind)
  const moved = await lookInto(of('moved'))
  const there = repositories.made([...of('repository').map(({ path }) => topOf(path)), ...moved.tops])
  const searched = unseen ? await within(repositories.search(), searchMs, roots.slice(0, 1)) : []
  const tops = [...new Set([...there, ...moved.unsearched, ...searched])].sort()
  const all = [...of('name'), ...moved.files]
  // A directory with a name of the table was moved there, or is told by what is in it.
  const named = all.filter(
    ({ path }) => !all.some((other) => other.path !== path && isBeneath(other.path, path)),
  )
  // A command may make the workspace itself a repository: what else it makes is told.
  const inside = tops.filter((top) => top !== roots[0])
  const isTold = (path: string) => inside.some((top) => path !== top && isBeneath(path, top))
  const others = named.flatMap((note) => (isTold(note.path) ? [] : handoffOf(note, roots)))
  const made = tops.map((path): Handoff => ({ path, kind: 'repository', obeyedBy: 'git' }))
  return [...made, ...others].slice(0, maxHandoffs)
}

/** Directories that came from a private TMPDIR, or from another root, with what was in them. */
async function lookInto(notes: readonly Note[]) {
  const [tops, unsearched, files]: [string[], string[], Note[]] = [[], [], []]
  const until = monotonicMs() + searchMs
  for (const { path } of notes) {
    const file = (found: string) => {
      if (obeyedAt(relative(dirname(path), found))) files.push({ kind: 'name', path: found })
    }
    const walked = await walkFor(path, { ms: Math.max(0, until - monotonicMs()), file })
    tops.push(...walked.tops)
    if (!walked.isWhole) unsearched.push(path)
  }
  return { tops, unsearched, files }
}

/** None: it is gone, or no program obeys it there. */
function handoffOf({ path, before }: Note, roots: readonly string[]): readonly Handoff[] {
  const root = roots.find((each) => isBeneath(path, each))
  const found = root === undefined ? undefined : obeyedAt(relative(root, path))
  const status = tried(() => lstatSync(path))
  if (root === undefined || !found || !status) return []
  if (status.isDirectory() && tried(() => readdirSync(path))?.length === 0) return []
  const { row, name } = found
  const at = join(root, name)
  // A forge looks at the top of a repository only.
  if (row.kind === 'ci' && at !== root && !tried(() => lstatSync(join(at, '.git')))) return []
  if (row.kind === 'script' && !hasNewScript(path, before)) return []
  return [{ path, kind: row.kind, obeyedBy: row.by }]
}

/** npm-scripts(7), "Life Cycle Scripts": what an install runs unasked. */
const installScripts = new Set([
  ...['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'],
  ...['dependencies', 'pnpm:devPreinstall'],
])

const maxScriptBytes = 1_048_576

/** One that is too large to compare counts as new. */
function hasNewScript(path: string, before = ''): boolean {
  const status = tried(() => statSync(path))
  if (!status?.isFile()) return false
  if (status.size > maxScriptBytes) return true
  const old = scriptsIn(before)
  const now = scriptsIn(tried(() => readFileSync(path, 'utf8')) ?? '')
  return [...now].some(([name, line]) => old.get(name) !== line)
}

function scriptsIn(text: string): ReadonlyMap<string, unknown> {
  const scripts: unknown = tried(() => JSON.parse(text))?.scripts
  const entries = typeof scripts === 'object' && scripts !== null ? Object.entries(scripts) : []
  return new Map(entries.filter(([name]) => installScripts.has(name)))
}
