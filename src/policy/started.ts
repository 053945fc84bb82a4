import { words } from '../base/text.ts'
import { commandOf, knownValue, literalWord, type SimpleCommand, unknownWords, type Word } from './line.ts'
import { nameOf } from './rules.ts'

/** What a command starts by its words. */
interface Started {
  /** Its words, without those of a command that it starts. */
  readonly own: readonly Word[]
  /** Each is one of these. */
  readonly inner: readonly (readonly SimpleCommand[])[]
  readonly scripts: readonly Word[]
}

const shells = new Set(words('sh bash rbash dash ash zsh ksh ksh93 mksh yash posh hush fish csh tcsh'))

/** Programs that start the command behind their options and so many operands. */
const starters: ReadonlyMap<string, number> = new Map([
  ...words(`
    sudo doas env xargs nohup setsid time nice ionice stdbuf command builtin exec busybox toybox unshare strace watch su runuser
    setpriv nsenter prlimit pkexec systemd-run parallel fakeroot caffeinate linux32 linux64`).map(
    (name) => [name, 0] as const,
  ),
  ...words('chrt taskset timeout chroot sg flock script').map((name) => [name, 1] as const),
])

export function startedBy(command: SimpleCommand): Started {
  const [head, ...rest] = command.words
  const name = nameOf(knownValue(head) ?? '')
  const own = head ? [head] : []
  if (shells.has(name)) return { own, inner: [], scripts: scriptsOf(rest) }
  if (name === 'eval') return { own, inner: [], scripts: rest.length > 0 ? [joined(rest)] : [] }
  if (name === 'trap') return { own, inner: [], scripts: trapped(rest) }
  if (name === 'find') return foundBy(command, /^-(?:exec|ok)(?:dir)?$/)
  // In a cluster only after flags: `-tx` and `-ex` name a type and an extension.
  if (name === 'fd' || name === 'fdfind')
    return foundBy(command, /^(?:-[HIusigFLap01]*[xX]|--exec|--exec-batch)$/)
  const operands = starters.get(name)
  // command(1p): with -v or -V it only describes a name.
  const describes = name === 'command' && /^-[pvV]*[vV]/.test(rest[0]?.value ?? '')
  if (operands === undefined || describes) return { own: command.words, inner: [], scripts: [] }
  return startedBehind(name, command, operands)
}

/** As eval(1p) joins them. */
function joined(given: readonly Word[]): Word {
  const open = given.find(({ kind }) => kind !== 'literal')
  return open ? unknownWords : literalWord(given.map(({ value }) => value).join(' '))
}

/** trap(1p): `-` and nothing as the action run nothing, and a condition alone has none. */
function trapped(given: readonly Word[]): readonly Word[] {
  const [action, condition] = given[0]?.value === '--' ? given.slice(1) : given
  return action && condition && !/^-?$|^-[lpP]/.test(knownValue(action) ?? '?') ? [action] : []
}

/** Without a script or file, a shell runs its standard input. */
function scriptsOf(given: readonly Word[]): readonly Word[] {
  const at = given.findIndex(({ value }) => /^-[A-Za-z]*c/.test(value))
  const operands = given.slice(at + 1).filter(({ value }) => !/^[-+]/.test(value))
  // Each `o` of the cluster takes a word: -euco pipefail.
  if (at !== -1) return [operands[given[at]?.value.replace(/[^oO]/g, '').length ?? 0] ?? unknownWords]
  const asks = given.some(({ value }) => value === '--version' || value === '--help')
  const reads = operands.length === 0 || given.some(({ value }) => /^-[A-Za-z]*s/.test(value))
  return reads && !asks ? [unknownWords] : []
}

/** What is filled in when the command runs: with input, or with names. It comes at the end, or where `{}` stands. */
function filled(given: readonly Word[]): readonly Word[] {
  const known = given.map((word): Word => {
    const at = word.value.indexOf('{}')
    return at === -1 || word.kind !== 'literal'
      ? word
      : { ...word, kind: 'one', fixed: word.value.slice(0, at) }
  })
  return [...known, unknownWords]
}

/** The commands behind -exec and the like, each to its end. */
function foundBy(command: SimpleCommand, action: RegExp): Started {
  const { words: given } = command
  const places = [...given.keys()].filter((at) => action.test(given[at]?.value ?? ''))
  const inner = places.map((at) => {
    const rest = given.slice(at + 1)
    const end = rest.findIndex(({ value }) => value === ';' || value === '+')
    return [innerOf(command, filled(end === -1 ? rest : rest.slice(0, end)))]
  })
  return { own: given.slice(0, places[0]), inner, scripts: [] }
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/
/** Of parallel(1): what follows is input. */
const MARK = /^:{3,4}\+?$/

function startedBehind(name: string, command: SimpleCommand, operands: number): Started {
  const { words: given } = command
  const places = beginnings(given, operands, valued[name])
  const before = given.slice(0, places[0])
  const assigns = name === 'env' || name === 'sudo' || name === 'doas'
  const variables = assigns ? before.filter(({ value }) => ASSIGNMENT.test(value)) : []
  const tails = places.map((at) => given.slice(at))
  const isParallel = name === 'parallel'
  const started = isParallel || name === 'xargs' ? tails.map(filled) : tails
  const scripts = scriptOptions(name, given)
  const guesses = name === 'env' && scripts.length > 0 ? [] : started
  // They give their words to a shell.
  const lines = isParallel || name === 'watch' ? tails.slice(0, 1) : []
  return {
    own: before.filter((word) => !variables.includes(word)),
    inner: guesses.length > 0 ? [guesses.map((words) => innerOf(command, words, variables))] : [],
    scripts: [
      ...scripts,
      ...lines.map((words) => joined(words.filter(({ value }) => !MARK.test(value)))),
      ...(isParallel ? [unknownWords] : []),
    ],
  }
}

/** A line with more is built to take time. */
const maxBeginnings = 8

/** Options that take the next word, of the programs on the safe list. Of others any option may. */
const valued: Readonly<Record<string, RegExp>> = {
  env: /^(?:-[A-Za-z]*[uCa]|--unset|--chdir|--argv0)$/,
  nice: /^(?:-n|--adjustment)$/,
  stdbuf: /^(?:-[ioe]|--(?:input|output|error))$/,
  time: /^(?:-[apqv]*[of]|--(?:output|format))$/,
  timeout: /^(?:-v*[sk]|--sig(?:nal)?|--kill-after)$/,
  xargs: /^(?:-[0rtxop]*[ILnPsdEa]|--max-(?:args|procs|chars)|--delimiter|--arg-file|--process-slot-var)$/,
}
const mayBeValued = /^-(?!-$)[^=]*$/
const NUMBER = /^\d+(?:\.\d+)?[smhd]?$/

/** Where the command may begin: behind options and operands, or at the value of an option that may have none. */
function beginnings(given: readonly Word[], operands: number, known?: RegExp): readonly number[] {
  const places: number[] = []
  const guess = (at: number) => {
    if (!known && at < given.length && !NUMBER.test(given[at]?.value ?? '')) places.push(at)
  }
  let left = operands
  for (let at = 1; at < given.length && places.length < maxBeginnings; at++) {
    const text = given[at]?.value ?? ''
    const takes = (known ?? mayBeValued).test(text) && (known || !given[at + 1]?.value.startsWith('-'))
    if (takes) guess(++at)
    else if (text.startsWith('-') || ASSIGNMENT.test(text)) continue
    else if (left-- > 0) guess(at)
    else return [...places, at]
  }
  return places
}

/** The values of options that are scripts: of env, which puts its words before the others, and of those that start a shell. */
function scriptOptions(name: string, given: readonly Word[]): readonly Word[] {
  const ofShell = words('su runuser sg flock script').includes(name)
  if (!ofShell && name !== 'env') return []
  const option = ofShell ? /^(?:-[A-Za-z]*?c|--(?:session-)?command=?)/ : /^(?:-[A-Za-z]*?S|--split-string=?)/
  return given.flatMap(({ value }, at) => {
    const [all] = option.exec(value) ?? []
    if (all === undefined) return []
    const rest = given.slice(at + 1)
    const behind = value === all ? rest : [literalWord(value.slice(all.length)), ...rest]
    return [ofShell ? (behind[0] ?? unknownWords) : joined(behind)]
  })
}

function innerOf(
  outer: SimpleCommand,
  given: readonly Word[],
  variables: readonly Word[] = [],
): SimpleCommand {
  const assignments = variables.map(({ value }) => ({
    name: value.slice(0, value.indexOf('=')),
    value: literalWord(value.slice(value.indexOf('=') + 1)),
  }))
  const text = given.map((word) => word.text).join(' ')
  return { ...commandOf(text, given), assignments, chain: outer.chain }
}
