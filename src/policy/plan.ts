import type { Environment, Mode } from '../base/types.ts'
import type { Invocation } from '../request/request.ts'
import {
  atHome,
  commandOf,
  type Doubt,
  type Feature,
  knownValue,
  lineOf,
  literalWord,
  type ParsedLine,
  type SimpleCommand,
  type Word,
} from './line.ts'
import { parseLine } from './parse.ts'
import { parsePowershell } from './powershell.ts'
import { nameOf } from './rules.ts'
import { startedBy } from './started.ts'

export interface RequestToDecide {
  /** A shell line, or a program with arguments and no shell. */
  readonly work: Invocation
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

export interface Step {
  readonly command: SimpleCommand
  /** Its words, without those of a command that it starts. */
  readonly own: readonly Word[]
  /** What it starts, each as places among the steps: where it is not known which word begins a command, all that may. */
  readonly starts: readonly (readonly number[])[]
  readonly isInner: boolean
  /** Directories it may run in; empty if unknown. */
  readonly bases: readonly string[]
}

type Reading = Pick<ParsedLine, 'features' | 'doubts' | 'forkBombs'>

export interface PolicyRequest extends RequestToDecide, Reading {
  readonly steps: readonly Step[]
}

/** Parses a request. Pure: reads nothing from disk. */
export function planRequest(request: RequestToDecide): PolicyRequest {
  const line = read(request)
  const plan = new Plan(line, request)
  for (const command of line.commands) plan.follow(command, 0)
  const { features, steps, doubts, forkBombs } = plan
  return { ...request, features, steps, doubts, forkBombs }
}

function read({ work, shell = 'sh' }: RequestToDecide): ParsedLine {
  if (work.kind === 'argv') return lineOf([commandOf(work.argv.join(' '), work.argv.map(literalWord))])
  const { line } = work
  if (shell === 'sh') return parseLine(line)
  const commands = shell === 'powershell' ? parsePowershell(line) : undefined
  if (commands) return lineOf(commands)
  const why = `in a line of ${shell === 'powershell' ? 'PowerShell only a few cmdlets with literal arguments' : 'another shell than sh, bash, dash and ash nothing'} can be parsed reliably`
  return { ...parseLine(line), doubts: [{ why, text: line }] }
}

/** What a variable that is removed has no harmless value in: `PAGER=` and no PAGER are not the same. */
const unset: Word = { ...literalWord(''), kind: 'open' }

const maxDepth = 6
/** Each word of a line may begin a command. */
const maxSteps = 2_000
const maxBases = 16

/** Follows programs that start others, scripts passed as words, and `cd`. */
class Plan implements Reading {
  readonly steps: Step[] = []
  readonly features: Set<Feature>
  readonly doubts: Doubt[]
  readonly forkBombs: string[]
  readonly #home: string
  readonly #variables: SimpleCommand['assignments']
  #bases: readonly string[]
  /** Where the rest of a list runs that runs only if its `cd` succeeds. */
  #sure: { readonly chain: number; readonly bases: readonly string[] } | undefined

  constructor({ features, doubts, forkBombs }: ParsedLine, request: RequestToDecide) {
    this.features = new Set(features)
    this.doubts = [...doubts]
    this.forkBombs = [...forkBombs]
    this.#home = request.home
    this.#variables = Object.entries(request.variables ?? {}).map(([name, value]) => ({
      name,
      value: value === undefined ? unset : literalWord(value),
    }))
    // Windows paths are not supported.
    this.#bases = request.shell === 'powershell' ? [] : [request.cwd]
  }

  /** The place of the command's step. */
  follow(given: SimpleCommand, depth: number): number {
    const { own, inner, scripts } = startedBy(given)
    const starts: (readonly number[])[] = []
    const command = { ...given, assignments: [...this.#variables, ...given.assignments] }
    const place = this.steps.push({ command, own, starts, isInner: depth > 0, bases: this.#enter(given) }) - 1
    if (inner.length + scripts.length === 0) return place
    if (depth === maxDepth || this.steps.length > maxSteps) {
      this.doubts.push({ why: 'it starts too many commands', text: given.text, unread: true })
      return place
    }
    for (const guesses of inner) starts.push(guesses.map((each) => this.follow(each, depth + 1)))
    for (const script of scripts)
      for (const each of this.#read(script, given)) starts.push([this.follow(each, depth + 1)])
    return place
  }

  #read(script: Word, { text, chain }: SimpleCommand): readonly SimpleCommand[] {
    const source = knownValue(script)
    if (source === undefined) {
      this.doubts.push({ why: 'it is unknown which script runs until the line runs', text })
      return []
    }
    const line = parseLine(source)
    this.doubts.push(...line.doubts)
    this.forkBombs.push(...line.forkBombs)
    for (const feature of line.features) this.features.add(feature)
    return line.commands.map((command) => ({ ...command, chain, required: false }))
  }

  /** Where the command may run. A `cd` may fail: then both directories count for what runs nevertheless. */
  #enter(command: SimpleCommand): readonly string[] {
    const { chain, required } = command
    if (this.#sure?.chain !== chain) this.#sure = undefined
    const here = this.#sure?.bases ?? this.#bases
    const target = directoryOf(command, here, this.#home)
    if (!target) return here
    this.#sure = required && target.length > 0 ? { chain, bases: target } : undefined
    const all = [...new Set([...this.#bases, ...target])]
    this.#bases = target.length === 0 || this.#bases.length === 0 || all.length > maxBases ? [] : all
    return here
  }
}

/** Where a `cd` leads; empty if unknown. */
function directoryOf(
  { words: [head, ...rest] }: SimpleCommand,
  bases: readonly string[],
  home: string,
): readonly string[] | undefined {
  const name = nameOf(knownValue(head) ?? '')
  if (name === 'pushd' || name === 'popd' || name === 'chdir') return []
  if (name !== 'cd') return undefined
  const operand = rest.find(({ value }) => !/^-[LPe@]+$/.test(value) && value !== '--')
  const path = operand ? (atHome(operand, home) ?? knownValue(operand)) : home
  if (path === undefined || path === '-' || (!operand && home === '')) return []
  return path.startsWith('/') ? [path] : bases.map((base) => (path === '' ? base : `${base}/${path}`))
}
