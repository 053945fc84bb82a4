import type { Environment, Mode } from '../base/types.ts'
import { isSecretName } from '../request/environment.ts'
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
import { anyProgram, parseLine } from './parse.ts'
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
  /** What the line's session has defined. Its variables are among `variables`. */
  readonly session?: Defined | undefined
  /**
   * What reads the line; default `sh`, which stands for bash, dash and ash. `other`: a shell whose language is not known.
   * Of PowerShell only a few forms are known, and no Windows program's arguments.
   */
  readonly shell?: 'sh' | 'powershell' | 'other' | undefined
  /** Whether read mode can hold the line, and the line could run again in write mode. Default: true. */
  readonly canHold?: boolean | undefined
}

/** By name: functions whole, of aliases their words. */
export interface Defined {
  readonly functions: Readonly<Record<string, string>>
  readonly aliases: Readonly<Record<string, string>>
  readonly variables: Environment
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
  /** What the line uses of its session, as a shell would read it. */
  readonly applied: readonly string[]
}

/** Parses a request. Pure: reads nothing from disk. */
export function planRequest(request: RequestToDecide): PolicyRequest {
  const line = read(request)
  const plan = new Plan(line, request)
  for (const command of line.commands) plan.follow(command, 0)
  const { features, steps, doubts, forkBombs } = plan
  return { ...request, features, steps, doubts, forkBombs, applied: plan.applied(request) }
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

function ownValue(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

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
  readonly #session: RequestToDecide['session']
  /** Of the session's functions and aliases those that the line uses, as a shell would read them. */
  readonly #used = new Set<string>()
  readonly #replaced = new Set<string>()
  readonly #variables: SimpleCommand['assignments']
  #bases: readonly string[]
  /** Where the rest of a list runs that runs only if its `cd` succeeds. */
  #sure: { readonly chain: number; readonly bases: readonly string[] } | undefined

  constructor({ features, doubts, forkBombs }: ParsedLine, request: RequestToDecide) {
    this.features = new Set(features)
    this.doubts = [...doubts]
    this.forkBombs = [...forkBombs]
    this.#home = request.home
    this.#session = request.session
    this.#variables = Object.entries(request.variables ?? {}).map(([name, value]) => ({
      name,
      value: value === undefined ? unset : literalWord(value),
    }))
    // Windows paths are not supported.
    this.#bases = request.shell === 'powershell' ? [] : [request.cwd]
  }

  /** The place of the command's step. */
  follow(given: SimpleCommand, depth: number): number {
    const { own, inner, scripts: started } = startedBy(given)
    const name = this.#session && knownValue(given.words[0])
    const scripts = name === undefined ? started : [...started, ...this.#defined(name, given)]
    const starts: (readonly number[])[] = []
    const command = { ...given, assignments: [...this.#variables, ...given.assignments] }
    const place = this.steps.push({ command, own, starts, isInner: depth > 0, bases: this.#enter(given) }) - 1
    if (inner.length + scripts.length === 0) return place
    if (depth === maxDepth || this.steps.length > maxSteps) {
      this.doubts.push({ why: 'it starts too many commands', text: given.text, unread: true })
      return place
    }
    for (const guesses of inner) starts.push(guesses.map((each) => this.follow(each, depth + 1)))
    if (name !== undefined) this.#replaced.add(name)
    for (const script of scripts)
      for (const each of this.#read(script, given)) starts.push([this.follow(each, depth + 1)])
    if (name !== undefined) this.#replaced.delete(name)
    return place
  }

  /** What a name of the session stands for. A function has been read with its first call; an alias in its own words is a program. */
  #defined(name: string, { words: [, ...rest] }: SimpleCommand): readonly Word[] {
    const { functions = {}, aliases = {} } = this.#session ?? {}
    const [body, words] = [ownValue(functions, name), ownValue(aliases, name)]
    // It may change the directory.
    if (body !== undefined || words !== undefined) this.#bases = []
    const scripts: string[] = []
    if (body !== undefined && !this.#used.has(body)) scripts.push(body)
    if (words !== undefined && !this.#replaced.has(name))
      scripts.push([words, ...rest.map((word) => word.text)].join(' '))
    if (body !== undefined) this.#used.add(body)
    if (words !== undefined) this.#used.add(`alias ${name}=${words}`)
    return scripts.map(literalWord)
  }

  applied({ work, session }: RequestToDecide): readonly string[] {
    const used = [...this.#used]
    const text = [work.kind === 'line' ? work.line : '', ...used].join('\n')
    const named = new Set(text.match(/[A-Za-z_]\w*/g))
    const variables = Object.entries(session?.variables ?? {}).filter(([name]) => named.has(name))
    const shown = ([name, value]: [string, string | undefined]) => {
      if (value === undefined) return `${name}: unset, or a list`
      return `${name}=${isSecretName(name) ? '***' : value}`
    }
    return [...used, ...variables.map(shown)]
  }

  #read(script: Word, { text, chain }: SimpleCommand): readonly SimpleCommand[] {
    const source = knownValue(script)
    if (source === undefined) {
      this.doubts.push({ why: 'it is unknown which script runs until the line runs', text })
      return []
    }
    const line = parseLine(source)
    // A function of the session is read where its name stands.
    this.doubts.push(...line.doubts.filter((doubt) => !(doubt.why === anyProgram && this.#used.has(source))))
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
