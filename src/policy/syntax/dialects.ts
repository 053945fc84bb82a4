import type { Unsure, UnsureKind } from './line.ts'

/** Longer lines are not parsed, in bytes. */
export const longestLine = 65_536
/** Here-documents make the parser quadratic: 100 KB of `<<E ` takes it 1.6 s. */
export const mostHereDocuments = 64

// Tab and newline are the only control characters that every shell takes for blanks; C1 controls are blanks in some locales.
const CONTROL = /[^\P{Cc}\t\n]/u
const LONE_SURROGATE = /\p{Cs}/u
// Blanks in some locale of some shell; in UTF-8 a byte A0 or 85 is one to bash on macOS (isblank(3) of a single byte).
const ODD_BLANK = /[\p{Zs}\p{Zl}\p{Zp}\u{feff}]/u
// After a blank every shell drops it; inside a word, an operator or a here-document they differ.
const CONTINUATION = /(?<![ \t])\\\n/

/** What makes a line unsure before it is parsed: caps, and characters that shells read differently. */
export function doubtsOfText(line: string): Unsure[] {
  const doubts: Unsure[] = []
  const doubt = (kind: UnsureKind, text = '') => doubts.push({ kind, text })
  if (line.length > longestLine || Buffer.byteLength(line) > longestLine) doubt('too-long')
  if (count(line, '<<') > mostHereDocuments) doubt('too-many-here-documents')
  if (CONTROL.test(line)) doubt('control-character')
  if (LONE_SURROGATE.test(line)) doubt('not-unicode')
  if (ODD_BLANK.test(line.replaceAll(' ', ''))) doubt('odd-blank')
  if (CONTINUATION.test(line) || line.endsWith('\\')) doubt('line-continuation')
  return doubts
}

/** Whether a line must not reach the parser. */
export function overCap(doubts: readonly Unsure[]): boolean {
  return doubts.some(({ kind }) => kind === 'too-long' || kind === 'too-many-here-documents')
}

const NAME = '[A-Za-z_][A-Za-z0-9_]*'
const SIMPLE_PARAMETER = new RegExp(`^\\$(${NAME}|[0-9@*#?!$-])$`)
// The operand holds nothing that a shell could read as a quote, an expansion or an end. `=` would assign.
const BRACED_PARAMETER = new RegExp(
  `^\\$\\{(${NAME}|[0-9]+|[@*#?!$-]|#${NAME}|${NAME}(:?[-+?]|##?|%%?)[A-Za-z0-9_.,/:@* -]*)\\}$`,
)
// A name would be evaluated as an expression of its own: x='a[$(rm f)]'; echo $((x)) runs rm in bash.
const ARITHMETIC = /^\$\(\([0-9+\-*/%() ]*\)\)$/

/** Whether every shell reads this parameter expansion alike, and it changes no variable. */
export function plainParameter(text: string): boolean {
  return SIMPLE_PARAMETER.test(text) || BRACED_PARAMETER.test(text)
}

/** Whether this arithmetic holds only numbers. */
export function plainArithmetic(text: string): boolean {
  return ARITHMETIC.test(text)
}

/** Whether every shell finds the same end of this command substitution and reads the same script in it. */
export function plainSubstitution(text: string, quoted: boolean): boolean {
  if (text.startsWith('`')) return !text.includes('\\') && !(quoted && text.includes('"'))
  // `$((` is arithmetic first to dash; comments and case patterns hide parentheses from bash before 5.2.
  return text.startsWith('$(') && !text.startsWith('$((') && !/(^|[\s;&|()])#/.test(text)
}

const DELIMITER = /^(?:\\?[A-Za-z0-9_.-]+|'[A-Za-z0-9_. -]+'|"[A-Za-z0-9_. -]+")$/

/** Whether every shell reads this here-document delimiter alike. */
export function plainDelimiter(text: string): boolean {
  return DELIMITER.test(text)
}

/** Whether a here-document inside a substitution keeps its body apart from the line, also for a shell that counts parentheses. */
export function plainNestedBody(body: string): boolean {
  return !/[()'"`\\]/.test(body)
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found += 1
  return found
}
