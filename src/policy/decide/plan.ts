import { posix } from 'node:path'
import type { Environment, Mode } from '../../base/types.ts'
import type { Facts, FactsNeeded } from '../../facts/facts.ts'
import { type Expanded, expand, type Step } from '../command/expand.ts'
import { isBuiltIn, nameOf, namesToLookUp, programOf } from '../command/program.ts'
import { couldMatch } from '../syntax/globs.ts'
import {
  knownValue,
  lineOfArgv,
  literalWord,
  type ParsedLine,
  type Unsure,
  type UnsureKind,
  type Word,
} from '../syntax/line.ts'
import { parseLine } from '../syntax/parse.ts'
import { atHome, maxChanges, type PathUse, pathUses } from './paths.ts'
import { parsePowershell } from './powershell.ts'
import { type VariableValue, withValues } from './values.ts'

export interface RequestToDecide {
  /** A shell line, or a program with arguments and no shell. */
  readonly work:
    | { readonly kind: 'line'; readonly line: string }
    | { readonly kind: 'argv'; readonly argv: readonly string[] }
  readonly mode: Mode
  /** Absolute. */
  readonly cwd: string
  /** Absolute, or empty if unknown. */
  readonly home: string
  /** Set for each of its programs; undefined: unset. */
  readonly variables?: Environment
  /** Names of those that earlier lines of a session left; they apply to the line's shell, too. */
  readonly state?: readonly string[] | undefined
  /** Values of variables at the beginning of the line; default: none is known. */
  readonly variableValue?: VariableValue | undefined
  /**
   * What reads the line; default `sh`, which stands for bash, dash and ash. `other`: a shell whose language is not known.
   * Of PowerShell only a few forms are known, and no Windows program's arguments.
   */
  readonly shell?: 'sh' | 'powershell' | 'other' | undefined
}

export interface PolicyRequest extends RequestToDecide {
  readonly features: ParsedLine['features']
  readonly steps: readonly PlannedStep[]
  readonly unsure: readonly Unsure[]
  readonly forkBombs: readonly string[]
}

/** A command with its directories and files. */
export interface PlannedStep extends Step {
  /** Directories it may run in; empty if unknown. */
  readonly bases: readonly string[]
  readonly paths: readonly PathUse[]
  /** Globs for files that make a program start another one; they must match nothing. */
  readonly guards: readonly string[]
  /** Where a git command looks for its repository; `unknown` if an expansion names it. */
  readonly repositories: readonly string[] | 'unknown' | undefined
}

const maxBases = 16

/** What a variable that is removed has no harmless value in: `PAGER=` and no PAGER are not the same. */
const unset: Word = { ...literalWord(''), kind: 'open' }

/** Parses a request. Pure: reads nothing from disk. */
export function planRequest(request: RequestToDecide): PolicyRequest {
  const expanded = withAssignments(expand(lineOf(request)), request.variables ?? {})
  const { features, unsure, forkBombs } = expanded
  return { ...request, features, steps: placed(expanded, request), unsure, forkBombs }
}

function lineOf({ work, shell = 'sh', variableValue }: RequestToDecide): ParsedLine {
  if (work.kind === 'argv') return lineOfArgv(work.argv)
  if (shell === 'sh') return withValues(work.line, parseLine(work.line), variableValue)
  if (shell === 'other') return unsureOf(work.line, 'unknown-shell')
  return parsePowershell(work.line) ?? unsureOf(work.line, 'other-shell')
}

function unsureOf(line: string, kind: UnsureKind): ParsedLine {
  const unsure: readonly Unsure[] = [{ kind, text: line }]
  return { ...parseLine(line), unsure }
}

function withAssignments(expanded: Expanded, variables: Environment): Expanded {
  const own = Object.entries(variables).map(([name, value]) => ({
    name,
    value: value === undefined ? unset : literalWord(value),
  }))
  if (own.length === 0) return expanded
  const steps = expanded.steps.map((step) => {
    const { command } = step
    return { ...step, command: { ...command, assignments: [...own, ...command.assignments] } }
  })
  return { ...expanded, steps }
}

export function factsNeeded(request: PolicyRequest): FactsNeeded {
  const { steps, cwd, mode } = request
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
    // Read and workspace mode confine every program.
    programs: mode !== 'write' ? [] : programsIn(request),
    couldMatch,
  }
}

function programsIn({ steps, work, shell, unsure }: PolicyRequest): readonly string[] {
  // dash takes `time` for a program, which looks for the next word in PATH.
  const isCertain = work.kind === 'line' && shell !== 'powershell' && unsure.length === 0
  const knowsBuiltIns = isCertain && !steps.some(({ command }) => knownValue(command.words[0]) === 'time')
  const started = steps.filter(({ command, direct }) => !(knowsBuiltIns && direct && isBuiltIn(command)))
  return [...new Set(started.flatMap(({ command }) => namesToLookUp(command)))]
}

/** True for a glob that may match a name beginning with a dash. */
function isOpenGlob({ kind, fixed }: Word): boolean {
  return kind === 'glob' && fixed === ''
}

/** Marks globs that cannot become options: no name in the step's directories begins with a dash. */
export function withSafeGlobs(step: PlannedStep, { withoutDashes }: Facts): PlannedStep {
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

/** Follows `cd`; if a change is uncertain, both directories count. */
function placed({ steps }: Expanded, { cwd, home, shell }: RequestToDecide): PlannedStep[] {
  // Windows paths are not supported.
  let bases: readonly string[] = shell === 'powershell' ? [] : [cwd]
  let sure: { chain: number; bases: readonly string[] } | undefined
  return steps.map((step) => {
    const { command } = step
    if (sure && sure.chain !== command.chain) sure = undefined
    const here = sure?.bases ?? bases
    const target = directoryOf(step, here, home)
    if (target) {
      bases = bounded(bases, target)
      sure = command.required && target !== 'unknown' ? { chain: command.chain, bases: target } : undefined
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
  return all.length > maxBases ? [] : all
}

function directoryOf(
  { command }: Step,
  bases: readonly string[],
  home: string,
): readonly string[] | 'unknown' | undefined {
  const [head, ...rest] = command.words
  const name = nameOf(knownValue(head) ?? '')
  if (name === 'pushd' || name === 'popd' || name === 'chdir') return 'unknown'
  if (name !== 'cd') return undefined
  const operand = rest.find(({ value }) => !/^-[LPe@]+$/.test(value) && value !== '--')
  if (!operand) return home === '' ? 'unknown' : [home]
  if (operand.value === '-') return 'unknown'
  const path = atHome(operand, home)
  if (path !== undefined) return withLogical([path])
  return operand.kind === 'literal' ? withLogical(joinAll(bases, operand.value)) : 'unknown'
}

/** `cd link/..` goes to the link's own directory; with -P, or if there is none, to its target's parent. */
function withLogical(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => (path.includes('..') ? [path, posix.normalize(path)] : [path])))]
}

/** rustup's cargo and rustc start the toolchain that such a file names, here or above (rustup book). */
function guardsOf({ command }: Step, bases: readonly string[]): readonly string[] {
  const name = nameOf(knownValue(command.words[0]) ?? '')
  if (name !== 'cargo' && name !== 'rustc') return []
  return bases.flatMap((base) => {
    const parts = base.split('/').filter((part) => part !== '')
    const above = [[], ...parts.map((_, at) => parts.slice(0, at + 1))]
    return above.map((directory) => `/${[...directory, 'rust-toolchain*'].join('/')}`)
  })
}

/** Directories where git, or git started by gh, looks for a repository, after every `-C`. */
function repositoriesOf(
  { command }: Step,
  bases: readonly string[],
  home: string,
): PlannedStep['repositories'] {
  const program = programOf(command)
  const name = nameOf(knownValue(program?.words[0]) ?? '')
  if (!program || (name !== 'git' && name !== 'gh')) return undefined
  if (program.directories.length > maxChanges) return 'unknown'
  let directories = bases
  for (const word of program.directories) {
    const path = atHome(word, home) ?? knownValue(word)
    if (path === undefined) return 'unknown'
    directories = joinAll(directories, path)
  }
  return directories.length === 0 ? 'unknown' : directories
}

function joinAll(bases: readonly string[], path: string): readonly string[] {
  if (path.startsWith('/')) return [path]
  return path === '' ? bases : bases.map((base) => `${base}/${path}`)
}
