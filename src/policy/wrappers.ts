import { words } from '../base/text.ts'
import { knownValue, literalWord, type SimpleCommand, unknownWords, type Word } from './line.ts'
import { prefixes, type Wrapper } from './prefixes.ts'
import { nameOf } from './program.ts'

/** A program that starts others, as given in a command. */
export interface Wrapped {
  readonly own: readonly Word[]
  /** Commands it starts, one for each `-exec` of find. */
  readonly inner: readonly SimpleCommand[]
  readonly scripts: readonly Word[]
}

const shells = new Set(words('sh bash rbash dash ash zsh ksh ksh93 mksh yash posh hush fish csh tcsh'))
const longValued = new Set(['--rcfile', '--init-file'])
/** bash takes its long options with one dash, too. */
const longWithO = /^-(?:no(?:profile|rc|editing)|login|posix|verbose|version)$/
const findActions = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const whatIsRead: Word = { ...unknownWords, filledBy: 'xargs' }

export function unwrap(command: SimpleCommand): Wrapped | undefined {
  const [head, ...rest] = command.words
  const name = nameOf(knownValue(head) ?? '')
  if (!head || name === '') return undefined
  if (name === 'eval') return { own: [head], inner: [], scripts: rest.length > 0 ? [joined(rest)] : [] }
  if (name === 'trap') return trapped(head, rest)
  if (shells.has(name)) return shellScript(head, rest)
  if (name === 'find') return findCommands(command)
  if (name === 'fd' || name === 'fdfind') return fdCommand(command)
  // command(1p): with -v or -V it only describes a name.
  if (name === 'command' && /^-[pvV]*[vV]/.test(rest[0]?.value ?? '')) return undefined
  const kind = prefixes.get(name)
  return kind && prefixed(command, kind, name)
}

/** As eval(1p) joins them. */
function joined(words: readonly Word[]): Word {
  const open = words.find(({ kind }) => kind !== 'literal')
  return open ? unknownWords : literalWord(words.map(({ value }) => value).join(' '))
}

/** trap(1p): `-` and nothing as the action run nothing, and a condition alone has none. */
function trapped(head: Word, words: readonly Word[]): Wrapped | undefined {
  const [action, condition] = words[0]?.value === '--' ? words.slice(1) : words
  const runs = action && condition && !/^-?$|^-[lpP]/.test(knownValue(action) ?? '?')
  return runs ? { own: [head], inner: [], scripts: [action] } : undefined
}

function shellScript(head: Word, words: readonly Word[]): Wrapped {
  let given = false
  let reads = false
  let at = 0
  for (; at < words.length; at++) {
    const text = words[at]?.value ?? ''
    if (!/^[-+]./.test(text) || text === '--') break
    given ||= /^-[A-Za-z]*c/.test(text)
    reads ||= /^-[A-Za-z]*s/.test(text)
    if (longValued.has(text)) at += 1
    // Each `o` takes a word, wherever it stands: -euo pipefail.
    else if (/^[-+][A-Za-z]+$/.test(text) && !longWithO.test(text)) at += text.replace(/[^oO]/g, '').length
  }
  const ended = words[at]?.value
  if (ended === '--' || ended === '-') at += 1
  const script = words[at]
  // Without a script or file, the shell runs its standard input.
  if (given) return { own: [head], inner: [], scripts: [script ?? unknownWords] }
  const asks = words.some(({ value }) => value === '--version' || value === '--help')
  return { own: [head], inner: [], scripts: (script && !reads) || asks ? [] : [unknownWords] }
}

function prefixed(command: SimpleCommand, kind: Wrapper, name: string): Wrapped | undefined {
  const { words } = command
  const { scripts, assigned, at } = headOf(words, kind, name)
  const tail = words.slice(at)
  if (tail.length === 0 && scripts.length === 0) return undefined
  const variables = words.slice(assigned, at).filter(({ value }) => ASSIGNMENT.test(value))
  const own = words.slice(0, at).filter((word) => !variables.includes(word))
  // env(1): -S puts its words before the others.
  if (name === 'env' && scripts.length > 0)
    return { own, inner: [], scripts: [joined([...scripts, ...tail.map(quoted)])] }
  // watch(1) gives its words to sh -c.
  if (name === 'watch') scripts.push(joined(tail))
  if (name === 'parallel') scripts.push(...parallelScripts(tail))
  const started = startedBy(name, own, tail)
  const inner = started.length > 0 ? [innerOf(command, started, variables)] : []
  return { own, inner, scripts }
}

/** The words of the command that a program starts. */
function startedBy(name: string, own: readonly Word[], tail: readonly Word[]): readonly Word[] {
  if (name === 'xargs') return filledByXargs(own, tail)
  return name === 'parallel' ? tail.filter((word) => !isMark(word)) : tail
}

/** parallel(1): a line for a shell, into which it puts each argument behind `:::`, quoted; without a line the arguments are lines. */
function parallelScripts(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex(isMark)
  const template = end === -1 ? words : words.slice(0, end)
  const all = words.filter((word) => !isMark(word))
  // Behind `::::` are files.
  const isRead = end === -1 || words.some(({ value }) => value.startsWith('::::'))
  if (template.length === 0) return isRead ? [unknownWords] : all
  // A shell's first argument stands for one of parallel, which is added at the end unless the line has a place for it.
  const places = template.map((word) => ({ ...word, value: word.value.replace(/\{[^\s{},]*\}/g, '"$1"') }))
  const line = joined([...places, literalWord('"$1"')])
  return all.every(({ kind }) => kind === 'literal') ? [line, joined(all)] : [line]
}

function isMark({ value }: Word): boolean {
  return /^:{3,4}\+?$/.test(value)
}

interface Head {
  readonly scripts: Word[]
  /** Where the last assignments begin. */
  readonly assigned: number
  /** Where the wrapped command begins. */
  readonly at: number
}

function headOf(words: readonly Word[], kind: Wrapper, name: string): Head {
  const scripts: Word[] = []
  let operands = operandsOf(kind, name, words)
  let at = 1
  let assigned = at
  for (; at < words.length; at++) {
    const text = words[at]?.value ?? ''
    const option = valueIn(text, kind)
    if (option) {
      const value = option.attached === '' ? (words[++at] ?? unknownWords) : literalWord(option.attached)
      if (kind.script.has(option.name)) scripts.push(value)
    } else if (!/^-./.test(text) && !isPassed(text, name) && operands-- <= 0) break
    if (!ASSIGNMENT.test(text)) assigned = at + 1
  }
  return { scripts, assigned, at }
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/

/** The option in a word that takes a value: in a cluster, its first such letter. Nothing attached: the next word is the value. */
function valueIn(
  text: string,
  { valued, script, flags }: Wrapper,
): { readonly name: string; readonly attached: string } | undefined {
  const takes = (name: string) => valued.has(name) || script.has(name)
  if (text.startsWith('--')) {
    const [given = ''] = text.split('=', 1)
    // getopt_long(3) accepts abbreviated names.
    const isMeant = (known: string) => given.length > 3 && !flags.has(given) && known.startsWith(given)
    const name = takes(given) ? given : [...valued, ...script].find(isMeant)
    return name === undefined ? undefined : { name, attached: text.slice(given.length + 1) }
  }
  const letters = text.startsWith('-') ? [...text.slice(1)] : []
  const first = letters.findIndex((letter) => takes(`-${letter}`))
  return first === -1
    ? undefined
    : { name: `-${letters[first]}`, attached: letters.slice(first + 1).join('') }
}

/** Words before the wrapped command: assignments, and the dash that stands for -i of env(1) and -l of su(1). */
function isPassed(text: string, name: string): boolean {
  const assigns = name === 'env' || name === 'sudo' || name === 'doas'
  const dashes = name === 'env' || name === 'su' || name === 'runuser'
  return (assigns && ASSIGNMENT.test(text)) || (dashes && text === '-')
}

/** runuser(1): the user is an operand unless -u names one. */
function operandsOf({ operands }: Wrapper, name: string, words: readonly Word[]): number {
  return name === 'runuser' && !words.some(({ value }) => /^(?:-u|--user)/.test(value)) ? 1 : operands
}

function quoted(word: Word): Word {
  return { ...word, value: `'${word.value.replaceAll("'", String.raw`'\''`)}'` }
}

function innerOf(
  outer: SimpleCommand,
  words: readonly Word[],
  variables: readonly Word[] = [],
): SimpleCommand {
  const assignments = variables.map((word) => ({
    name: word.value.slice(0, word.value.indexOf('=')),
    value: literalWord(word.value.slice(word.value.indexOf('=') + 1)),
  }))
  return {
    text: words.map(({ text }) => text).join(' '),
    assignments,
    words,
    redirects: [],
    chain: outer.chain,
    required: false,
  }
}

/** More than any line needs; every word is searched for every marker. */
const maxMarks = 10

/** xargs appends its input, or substitutes it for a marker; of these options and `-n`, `-L` the last one counts, so all do here. */
function filledByXargs(own: readonly Word[], words: readonly Word[]): Word[] {
  const marks = [...new Set(own.flatMap(({ value }, at) => marksIn(value, own[at + 1]?.value)))]
  if (marks.length > maxMarks) return [whatIsRead]
  const replaced = marks.reduce<Word[]>(
    (all, mark) => all.map((word) => filled(word, mark, 'xargs')),
    [...words],
  )
  const appends = marks.length === 0 || own.some(({ value }) => /^-[0rtx]*[nLl]|^--max/.test(value))
  return appends ? [...replaced, whatIsRead] : replaced
}

/** The marker that an option gives, alone or after flags: `-I X`, `-0I{}`, `--replace=X`. */
function marksIn(option: string, next = '{}'): readonly string[] {
  const [, mark] = /^(?:-[0rtx]*[Ii]|--replace(?:=|$))(.*)$/s.exec(option) ?? []
  if (mark === undefined) return []
  return [mark || (option.endsWith('I') ? next : '{}')]
}

/** find inserts names that begin with a starting point, never an option. */
function filled(word: Word, mark: string, filledBy: 'find' | 'xargs'): Word {
  const at = word.value.indexOf(mark)
  if (at === -1 || word.kind !== 'literal') return word
  const beginning = at === 0 && filledBy === 'find' ? './' : word.value.slice(0, at)
  return { ...word, kind: 'quoted', fixed: beginning, filledBy }
}

/** Collects the commands after -exec and the like. An unknown word may expand to their terminator. */
function findCommands(command: SimpleCommand): Wrapped | undefined {
  const own: Word[] = []
  const inner: SimpleCommand[] = []
  const scripts: Word[] = []
  const { words } = command
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (!word) break
    if (!findActions.has(word.value)) {
      own.push(word)
      continue
    }
    // Other actions change the directory or prompt, and find's rule objects to them.
    if (word.value !== '-exec') own.push(word)
    const end = endOfAction(words, at + 1)
    const part = words.slice(at + 1, end)
    const many = words[end]?.value === '+'
    // GNU find accepts `+` as terminator only after `{}`, busybox anywhere.
    const isClear = end < words.length && !(many && part.at(-1)?.value !== '{}') && part.every(isOneArgument)
    if (!isClear) scripts.push(unknownWords)
    inner.push(innerOf(command, filledByFind(part, many)))
    at = end
  }
  return inner.length > 0 ? { own, inner, scripts } : undefined
}

/** The place of the terminator, or the end of the words. */
function endOfAction(words: readonly Word[], from: number): number {
  let at = from
  while (at < words.length && words[at]?.value !== ';' && words[at]?.value !== '+') at += 1
  return at
}

function isOneArgument({ kind, fixed }: Word): boolean {
  return kind === 'literal' || kind === 'tilde' || (kind === 'quoted' && !/^[;+]?$/.test(fixed))
}

function filledByFind(part: readonly Word[], many: boolean): readonly Word[] {
  return part.map((given) => ({
    ...filled(given, '{}', 'find'),
    ...(many && given.value === '{}' ? { kind: 'brace' as const } : {}),
  }))
}

function fdCommand(command: SimpleCommand): Wrapped | undefined {
  // In a cluster only after flags: `-tx` and `-ex` name a type and an extension.
  const at = command.words.findIndex(({ value }) =>
    /^(?:-[HIusigFLap01]*[xX]|--exec|--exec-batch)$/.test(value),
  )
  if (at === -1 || at === command.words.length - 1) return undefined
  const own = command.words.slice(0, at)
  const part = command.words.slice(at + 1)
  // `;` ends the command; another may follow.
  const isClear = part.every((word) => isOneArgument(word) && word.value !== ';')
  const inner = [innerOf(command, [...part, whatIsRead])]
  return { own, inner, scripts: isClear ? [] : [unknownWords] }
}
