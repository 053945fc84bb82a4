import { forEachChild, type SyntaxNode } from 'unbash'
import type { Unsure, UnsureKind } from './line.ts'

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
const CONTINUATION = /(?<![ \t])\\\n/

/** Checks limits, and characters that shells read differently, before parsing. */
export function doubtsOfText(line: string): Unsure[] {
  const doubts: Unsure[] = []
  const doubt = (kind: UnsureKind) => doubts.push({ kind, text: '' })
  if (line.length > maxLineLength || Buffer.byteLength(line) > maxLineLength) doubt('too-long')
  if ((line.match(/<(?=<)/g)?.length ?? 0) > maxHereDocuments) doubt('too-many-here-documents')
  if (CONTROL.test(line)) doubt('control-character')
  if (LONE_SURROGATE.test(line)) doubt('not-unicode')
  if (ODD_BLANK.test(line)) doubt('odd-blank')
  if (CONTINUATION.test(line) || line.endsWith('\\')) doubt('line-continuation')
  return doubts
}

export function overCap(doubts: readonly Unsure[]): boolean {
  return doubts.some(({ kind }) => kind === 'too-long' || kind === 'too-many-here-documents')
}

const NAME = '[A-Za-z_][A-Za-z0-9_]*'
const SIMPLE_PARAMETER = new RegExp(`^\\$(${NAME}|[0-9@*#?!$-])$`)
// The operand must hold nothing a shell could read as a quote, expansion or end; `=` would assign.
const BRACED_PARAMETER = new RegExp(
  `^\\$\\{(${NAME}|[0-9]+|[@*#?!$-]|#${NAME}|${NAME}(:?[-+?]|##?|%%?)[A-Za-z0-9_.,/:@* -]*)\\}$`,
)
// bash evaluates names as expressions: x='a[$(rm f)]'; echo $((x)) runs rm.
const ARITHMETIC = /^\$\(\([0-9+\-*/%() ]*\)\)$/

/** True if every shell reads this parameter expansion alike and it changes no variable. */
export function plainParameter(text: string): boolean {
  return SIMPLE_PARAMETER.test(text) || BRACED_PARAMETER.test(text)
}

export function plainArithmetic(text: string): boolean {
  return ARITHMETIC.test(text)
}

/** True if every shell finds the same end of this command substitution and reads the same script in it. */
export function plainSubstitution(text: string, quoted: boolean): boolean {
  if (text.startsWith('`')) return !text.includes('\\') && !(quoted && text.includes('"'))
  // dash tries `$((` as arithmetic first; before bash 5.2, comments and case patterns hide parentheses.
  return text.startsWith('$(') && !text.startsWith('$((') && !/(^|[\s;&|()])#/.test(text)
}

const DELIMITER = /^(?:\\?[A-Za-z0-9_.-]+|'[A-Za-z0-9_. -]+'|"[A-Za-z0-9_. -]+")$/

/** True if every shell reads this here-document delimiter alike. */
export function plainDelimiter(text: string): boolean {
  return DELIMITER.test(text)
}

/** True if a here-document in a substitution stays apart even for a shell that counts parentheses. */
export function plainNestedBody(body: string): boolean {
  return !/[()'"`\\]/.test(body)
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
