import { posix } from 'node:path'
import type { Environment, Mode } from '../base/types.ts'
import { type Expanded, expand, type Step } from './expand.ts'
import {
  atHome,
  knownValue,
  lineOfArgv,
  literalWord,
  type ParsedLine,
  type Unsure,
  type UnsureKind,
  type Word,
} from './line.ts'
import { parseLine } from './parse.ts'
import { parsePowershell } from './powershell.ts'
import { nameOf } from './program.ts'

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
  /**
   * What reads the line; default `sh`, which stands for bash, dash and ash. `other`: a shell whose language is not known.
   * Of PowerShell only a few forms are known, and no Windows program's arguments.
   */
  readonly shell?: 'sh' | 'powershell' | 'other' | undefined
  /** Whether read mode can hold the line, and the line could run again in write mode. Default: true. */
  readonly canHold?: boolean | undefined
}

export interface PolicyRequest extends RequestToDecide {
  readonly features: ParsedLine['features']
  readonly steps: readonly PlannedStep[]
  readonly unsure: readonly Unsure[]
  readonly forkBombs: readonly string[]
}

export interface PlannedStep extends Step {
  /** Directories it may run in; empty if unknown. */
  readonly bases: readonly string[]
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

function lineOf({ work, shell = 'sh' }: RequestToDecide): ParsedLine {
  if (work.kind === 'argv') return lineOfArgv(work.argv)
  if (shell === 'sh') return parseLine(work.line)
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
    return { ...step, bases: here }
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

function joinAll(bases: readonly string[], path: string): readonly string[] {
  if (path.startsWith('/')) return [path]
  return path === '' ? bases : bases.map((base) => `${base}/${path}`)
}
