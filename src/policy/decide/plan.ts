import { posix } from 'node:path'
import type { Mode } from '../../base/types.ts'
import type { Facts, FactsNeeded } from '../../facts/facts.ts'
import { type Expanded, expand, type Step } from '../command/expand.ts'
import { lookedUp, nameOf, programOf } from '../command/program.ts'
import { couldMatch } from '../syntax/globs.ts'
import { known, lineOfArgv, literal, type ParsedLine, type Unsure, type Word } from '../syntax/line.ts'
import { parseLine } from '../syntax/parse.ts'
import { atHome, type PathUse, pathUses } from './paths.ts'
import { parsePowershell } from './powershell.ts'

/** What is to be decided about. */
export interface RequestToDecide {
  /** A line for `sh`, or a program with its arguments and no shell. */
  readonly work:
    | { readonly kind: 'line'; readonly line: string }
    | { readonly kind: 'argv'; readonly argv: readonly string[] }
  readonly mode: Mode
  /** Absolute. */
  readonly cwd: string
  /** Absolute, or empty when unknown. */
  readonly home: string
  /** Names of variables that are set for every program of it. */
  readonly variables?: readonly string[]
  /** What reads the line; default `sh`. Of PowerShell only a few forms are known, and of arguments of Windows programs none. */
  readonly shell?: 'sh' | 'powershell'
}

/** A request taken apart, ready to be decided about. */
export interface PolicyRequest extends RequestToDecide {
  readonly features: ParsedLine['features']
  readonly steps: readonly PlannedStep[]
  readonly unsure: readonly Unsure[]
  readonly forkBombs: readonly string[]
}

/** A command with where it runs and which files it names. */
export interface PlannedStep extends Step {
  /** The directories it may run in; empty when one is not known. */
  readonly bases: readonly string[]
  readonly paths: readonly PathUse[]
  /** Patterns of files by which a program becomes another one; none of them may be there. */
  readonly guards: readonly string[]
  /** Where a git command looks for its repository; `unknown` when an expansion names it. */
  readonly repositories: readonly string[] | 'unknown' | undefined
}

const MOST_BASES = 16

/** Takes a request apart. Pure: nothing is looked up. */
export function planRequest(request: RequestToDecide): PolicyRequest {
  const expanded = withAssignments(expand(lineOf(request)), request.variables ?? [])
  const { features, unsure, forkBombs } = expanded
  return { ...request, features, steps: placed(expanded, request), unsure, forkBombs }
}

function lineOf({ work, shell = 'sh' }: RequestToDecide): ParsedLine {
  if (work.kind === 'argv') return lineOfArgv(work.argv)
  if (shell === 'sh') return parseLine(work.line)
  return parsePowershell(work.line) ?? unsureOf(work.line)
}

/** A line of another shell is unsure; what it says to `sh` counts for the rules that deny or ask. */
function unsureOf(line: string): ParsedLine {
  const unsure: readonly Unsure[] = [{ kind: 'other-shell', text: line }]
  return { ...parseLine(line), unsure }
}

/** What the line does with the variables assigned in front of each of its commands. */
function withAssignments(expanded: Expanded, names: readonly string[]): Expanded {
  if (names.length === 0) return expanded
  const own = names.map((name) => ({ name, value: literal('') }))
  const steps = expanded.steps.map((step) => {
    const { command } = step
    return { ...step, command: { ...command, assignments: [...own, ...command.assignments] } }
  })
  return { ...expanded, steps }
}

/** What must be found out before the request can be decided about. */
export function factsNeeded({ steps, cwd, mode }: PolicyRequest): FactsNeeded {
  const paths = new Set([cwd])
  const globs = new Set<string>()
  const directories = new Set<string>()
  const repositories = new Set<string>()
  for (const step of steps) {
    if (step.command.words.some(isOpenGlob)) for (const base of step.bases) directories.add(base)
    for (const use of step.paths) {
      for (const path of use.paths) paths.add(path)
      for (const glob of use.globs) globs.add(glob)
    }
    for (const guard of step.guards) globs.add(guard)
    if (step.guards.length > 0) for (const base of step.bases) paths.add(base)
    if (Array.isArray(step.repositories))
      for (const directory of step.repositories) repositories.add(directory)
  }
  return {
    paths: [...paths],
    globs: [...globs],
    directories: [...directories],
    repositories: [...repositories],
    // Whatever runs in read mode is held.
    programs: mode === 'read' ? [] : [...new Set(steps.flatMap(({ command }) => lookedUp(command)))],
    couldMatch,
  }
}

/** A glob that could find a name that begins with a dash. */
function isOpenGlob({ kind, fixed }: Word): boolean {
  return kind === 'glob' && fixed === ''
}

/** The step with its globs settled: where no name begins with a dash, none becomes an option. */
export function settled(step: PlannedStep, { withoutDashes }: Facts): PlannedStep {
  const { command, bases } = step
  if (
    !command.words.some(isOpenGlob) ||
    bases.length === 0 ||
    !bases.every((base) => withoutDashes.has(base))
  )
    return step
  const words = command.words.map((word) => (isOpenGlob(word) ? { ...word, fixed: './' } : word))
  return { ...step, command: { ...command, words } }
}

/** Follows `cd`: where a change may have happened or not, both directories count. */
function placed({ steps }: Expanded, { cwd, home, shell }: RequestToDecide): PlannedStep[] {
  // Paths of Windows are not known here.
  let bases: readonly string[] = shell === 'powershell' ? [] : [cwd]
  let sure: { chain: number; bases: readonly string[] } | undefined
  return steps.map((step) => {
    const { command } = step
    if (sure && sure.chain !== command.chain) sure = undefined
    const here = sure?.bases ?? bases
    const target = directoryOf(step, here, home)
    if (target) {
      bases = bounded(bases, target)
      sure = command.gate && target !== 'unknown' ? { chain: command.chain, bases: target } : undefined
    }
    return {
      ...step,
      bases: here,
      paths: pathUses(step, here, home),
      guards: guardsOf(step, here),
      repositories: repositoriesOf(step, here, home),
    }
  })
}

function bounded(bases: readonly string[], target: readonly string[] | 'unknown'): readonly string[] {
  if (target === 'unknown' || bases.length === 0) return []
  const all = [...new Set([...bases, ...target])]
  return all.length > MOST_BASES ? [] : all
}

/** Where a `cd` goes; undefined when the command is no `cd`. */
function directoryOf(
  { command }: Step,
  bases: readonly string[],
  home: string,
): readonly string[] | 'unknown' | undefined {
  const [head, ...rest] = command.words
  const name = nameOf(known(head) ?? '')
  if (name === 'pushd' || name === 'popd' || name === 'chdir') return 'unknown'
  if (name !== 'cd') return undefined
  const operand = rest.find(({ value }) => !/^-[LPe@]+$/.test(value) && value !== '--')
  if (!operand) return home === '' ? 'unknown' : [home]
  if (operand.value === '-') return 'unknown'
  const path = atHome(operand, home)
  if (path !== undefined) return withLogical([path])
  return operand.kind === 'literal' ? withLogical(joinAll(bases, operand.value)) : 'unknown'
}

/** `cd link/..` goes back to where the link stands, and with -P, or where that is no directory, on from where it leads. */
function withLogical(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => (path.includes('..') ? [path, posix.normalize(path)] : [path])))]
}

/** rustup's cargo and rustc start the toolchain that such a file names, here or in a directory above (rustup book, Overrides). */
function guardsOf({ command }: Step, bases: readonly string[]): readonly string[] {
  const name = nameOf(known(command.words[0]) ?? '')
  if (name !== 'cargo' && name !== 'rustc') return []
  return bases.flatMap((base) => {
    const parts = base.split('/').filter((part) => part !== '')
    const above = [[], ...parts.map((_, at) => parts.slice(0, at + 1))]
    return above.map((directory) => `/${[...directory, 'rust-toolchain*'].join('/')}`)
  })
}

/** Where git looks for a repository: the current directory, after every `-C`. gh starts git there. */
function repositoriesOf(
  { command }: Step,
  bases: readonly string[],
  home: string,
): PlannedStep['repositories'] {
  const program = programOf(command)
  const name = nameOf(known(program?.words[0]) ?? '')
  if (!program || (name !== 'git' && name !== 'gh')) return undefined
  let directories = bases
  for (const word of program.directories) {
    const path = atHome(word, home) ?? known(word)
    if (path === undefined) return 'unknown'
    directories = joinAll(directories, path)
  }
  return directories.length === 0 ? 'unknown' : directories
}

function joinAll(bases: readonly string[], path: string): readonly string[] {
  if (path.startsWith('/')) return [path]
  return path === '' ? bases : bases.map((base) => `${base}/${path}`)
}
