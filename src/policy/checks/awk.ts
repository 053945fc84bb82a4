import type { Arguments, Objection } from '../command/arguments.ts'
import { known, type Word } from '../syntax/line.ts'

// system() and pipes run, `>` writes, getline reads files or runs, `@` loads code or calls by name, and a changed ARGV, also by
// way of SYMTAB, names other files to read (gawk(1)).
const HARMFUL_WORD = /system|getline|@|\\\n|ARG[VC]|SYMTAB/
/** gawk(1), Special File Names: as an operand, too, it is a connection to the network. */
const NETWORK = '/inet'

/** Whether a call of awk only prints: the program is known, and holds nothing that writes, reads or runs. */
export function checkAwk({ operands }: Arguments): Objection | undefined {
  const [script] = operands
  if (!script) return { kind: 'form', text: 'awk without a program' }
  const text = known(script)
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
  // Where a regular expression or a comment could hide the quotes, strings count as code.
  const code = /[/#\\]/.test(program) ? program : program.replace(/"[^"\n]*"/g, '""')
  if (HARMFUL_WORD.test(code)) return false
  const withoutOr = code.replaceAll('||', '')
  if (withoutOr.includes('|')) return false
  const comparing = withoutOr.replaceAll('>=', '')
  return !comparing.includes('>') || onlyComparisons(comparing)
}

/** Whether every `>` stands before the braces: there nothing is printed. Strings are out of the code, or it is not known. */
function onlyComparisons(code: string): boolean {
  if (/[/#\\]/.test(code)) return false
  const braces = code.indexOf('{')
  return braces === -1 || code.lastIndexOf('>') < braces
}
