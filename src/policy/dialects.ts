import { forEachChild, type ParameterExpansionPart, type SyntaxNode } from 'unbash'
import { words } from '../base/text.ts'
import type { Doubt, Word } from './line.ts'

export const differs = 'sh and bash may read this differently'

/** In bytes; longer lines are not parsed. */
const maxLineLength = 65_536
/** The parser is quadratic in here-documents: 100 KB of `<<E ` takes 1.6 s. */
const maxHereDocuments = 64

// Ranges, because V8 takes a millisecond to make \p{Cc} of ICU's tables.
// Every shell treats only tab and newline among control characters as blanks; some locales add C1 controls.
const CONTROL = /[^ -~\t\n\u00a0-\uffff]/
const LONE_SURROGATE = /[\ud800-\udfff]/u
// Blanks in some locale; on macOS, bash takes a UTF-8 byte A0 or 85 for one (isblank(3)).
const ODD_BLANK = /[^\S \t\n\v\f\r]/
// Every shell drops it after a blank; inside a word, operator or here-document they differ.
const CONTINUATION = /(?<![ \t])\\\n|\\$/

/** Checks limits, and characters that shells read differently, before parsing. */
export function doubtsOfText(line: string): Doubt[] {
  const isLong =
    line.length > maxLineLength ||
    Buffer.byteLength(line) > maxLineLength ||
    (line.match(/<(?=<)/g)?.length ?? 0) > maxHereDocuments
  const isOdd = CONTROL.test(line) || LONE_SURROGATE.test(line) || ODD_BLANK.test(line)
  return [
    ...(isLong ? [{ why: 'the line is too long to parse reliably', text: '', unread: true } as const] : []),
    ...(isOdd ? [{ why: 'the line contains a character that shells read differently', text: '' }] : []),
    ...(CONTINUATION.test(line) ? [{ why: differs, text: 'a backslash at the end of a line' }] : []),
  ]
}

const NAME = '[A-Za-z_][A-Za-z0-9_]*'
const SIMPLE_PARAMETER = new RegExp(`^\\$(${NAME}|[0-9@*#?!$-])$`)
// The operand must hold nothing a shell could read as a quote, expansion or end; `=` would assign.
const BRACED_PARAMETER = new RegExp(
  `^\\$\\{(${NAME}|[0-9]+|[@*#?!$-]|#${NAME}|${NAME}(:?[-+?]|##?|%%?)[A-Za-z0-9_.,/:@* -]*)\\}$`,
)

/** True if every shell reads this parameter expansion alike and it changes no variable. */
export function plainParameter(text: string): boolean {
  return SIMPLE_PARAMETER.test(text) || BRACED_PARAMETER.test(text)
}

/** bash evaluates names as expressions: x='a[$(rm f)]'; echo $((x)) runs rm. */
export function plainArithmetic(text: string): boolean {
  return /^\$\(\([0-9+\-*/%() ]*\)\)$/.test(text)
}

/** True if every shell finds the same end of this command substitution and reads the same script in it. */
export function plainSubstitution(text: string, quoted: boolean): boolean {
  if (text.startsWith('`')) return !text.includes('\\') && !(quoted && text.includes('"'))
  // dash tries `$((` as arithmetic first; before bash 5.2, comments and case patterns hide parentheses.
  return text.startsWith('$(') && !text.startsWith('$((') && !/(^|[\s;&|()])#/.test(text)
}

/** True if every shell reads this here-document delimiter alike. */
export function plainDelimiter(text: string): boolean {
  return /^(?:\\?[A-Za-z0-9_.-]+|'[A-Za-z0-9_. -]+'|"[A-Za-z0-9_. -]+")$/.test(text)
}

/** True if a here-document in a substitution stays apart even for a shell that counts parentheses. */
export function plainNestedBody(body: string): boolean {
  return !/[()'"`\\]/.test(body)
}

type Condition = Extract<SyntaxNode, { type: 'TestCommand' }>['expression']

/** With one operator: several, and `<` and `>`, are operators of the line in dash. */
export function plainCondition(condition: Condition): boolean {
  switch (condition.type) {
    case 'TestUnary':
      return true
    case 'TestBinary':
      return condition.operator !== '<' && condition.operator !== '>'
    case 'TestNot':
      return condition.negations.length === 1 && plainCondition(condition.operand)
    default:
      return false
  }
}

/** True if a function calls itself in a pipeline or in the background and so multiplies. */
export function multipliesItself(node: SyntaxNode, name: string, multiplied: boolean): boolean {
  if (node.type === 'Command' && node.name?.value === name && multiplied) return true
  const many =
    multiplied || node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true)
  let found = false
  forEachChild(node, (child) => {
    found ||= multipliesItself(child, name, many)
  })
  return found
}

/** Without these POSIX has an expansion, and dash does. */
export function isOfBash({ index, prefix, operation }: ParameterExpansionPart): boolean {
  const kinds = ['Replace', 'Slice', 'CaseModification', 'Transform']
  return index !== undefined || prefix === '!' || kinds.includes(operation?.type ?? '')
}

const builtIns = new Set(
  words('declare typeset shopt let mapfile readarray pushd popd dirs disown source select coproc'),
)

/** What dash does not have, by the words of a command. */
export function bashCommand(name: string, given: readonly Word[]): string | undefined {
  const values = given.map(({ value }) => value)
  if (builtIns.has(name)) return name
  if (name === 'echo' && /^-[neE]*e[neE]*$/.test(values[0] ?? '')) return `echo ${values[0]}`
  if (name === 'set' && values.includes('pipefail')) return 'pipefail'
  const job = name === 'kill' ? values.find((value) => value.startsWith('%')) : undefined
  return job === undefined ? undefined : `kill ${job}`
}
