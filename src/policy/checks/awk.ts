import type { Arguments, Objection } from '../command/arguments.ts'
import { knownValue, type Word } from '../syntax/line.ts'

// gawk(1): system() and pipes run programs, `>` writes, getline reads files, `@` loads code or calls by name;
// changing ARGV, also through SYMTAB, names other files to read.
const HARMFUL_WORD = /system|getline|@|\\\n|ARG[VC]|SYMTAB/
/** gawk(1), Special File Names: opens a network connection, even as an operand. */
const NETWORK = '/inet'

/** Allows awk only with a known program that neither writes, runs nor reads other files. */
export function checkAwk({ operands }: Arguments): Objection | undefined {
  const [script] = operands
  if (!script) return { kind: 'missing', part: 'program' }
  const text = knownValue(script)
  if (text === undefined) return { kind: 'open-word', text: script.text }
  if (!harmless(text)) return { kind: 'script', text }
  const connection = operands.slice(1).find(mayConnect)
  return connection && { kind: 'operand', text: connection.text }
}

function mayConnect({ kind, fixed }: Word): boolean {
  return kind === 'literal'
    ? fixed.startsWith(NETWORK)
    : fixed.startsWith(NETWORK) || NETWORK.startsWith(fixed)
}

function harmless(program: string): boolean {
  // A regular expression or comment could hide a quote, so strings then count as code.
  const code = /[/#\\]/.test(program) ? program : program.replace(/"[^"\n]*"/g, '""')
  if (HARMFUL_WORD.test(code)) return false
  const withoutOr = code.replaceAll('||', '')
  if (withoutOr.includes('|')) return false
  const comparing = withoutConditions(withoutOr.replaceAll('>=', ''))
  return !comparing.includes('>') || onlyComparisons(comparing)
}

/** Nothing prints between the parentheses of `if` and `while`, so `>` compares there. */
function withoutConditions(code: string): string {
  if (/[/#\\]/.test(code)) return code
  return code.replace(/\b(if|while) *\((?:[^()]|\([^()]*\))*\)/g, '$1')
}

/** True if every `>` precedes the first brace, where nothing prints; false if strings remain. */
function onlyComparisons(code: string): boolean {
  if (/[/#\\]/.test(code)) return false
  const braces = code.indexOf('{')
  return braces === -1 || code.lastIndexOf('>') < braces
}
