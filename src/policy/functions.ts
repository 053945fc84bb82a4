import { forEachChild, parse, type SyntaxNode } from 'unbash'
import { tried } from '../base/errno.ts'

/** A definition, as written. */
export interface DefinedFunction {
  readonly name: string
  readonly text: string
  /** It may not have run: it stands behind a condition, or in a loop. */
  readonly isMaybe: boolean
}

export interface ReadLine {
  /** In this shell, not in one of its subshells. */
  readonly functions: readonly DefinedFunction[]
  /** It reads as a whole: every shell finds the end of it where the text ends. */
  readonly isWhole: boolean
  /** It reads a file or a text of its own (`.`, `eval`), whose functions are not known. */
  readonly readsMore: boolean
}

const NAME = /^[A-Za-z_]\w*$/

/** What a line defines. */
export function readLine(line: string): ReadLine {
  const script = tried(() => parse(line))
  if (!script) return { functions: [], isWhole: false, readsMore: false }
  const found: Found = {
    functions: [],
    isWhole: !script.errors?.length && !/\\\n?$/.test(line),
    readsMore: false,
  }
  for (const statement of script.commands) look(statement, line, found, false)
  return found
}

interface Found extends ReadLine {
  readonly functions: DefinedFunction[]
  isWhole: boolean
  readsMore: boolean
}

const certain = new Set(['Statement', 'CompoundList', 'BraceGroup', 'Pipeline', 'Redirected'])

function look(node: SyntaxNode, line: string, found: Found, isMaybe: boolean): void {
  if (node.type === 'HereDoc' && !node.closing) found.isWhole = false
  if (node.type === 'Command') {
    const name = node.name?.value
    found.readsMore ||= name === '.' || name === 'eval'
  }
  if (node.type === 'Function') {
    const { value: name } = node.name
    if (NAME.test(name)) found.functions.push({ name, text: line.slice(node.pos, node.end), isMaybe })
  }
  const isApart = node.type === 'Subshell' || (node.type === 'Pipeline' && node.commands.length > 1)
  if (isApart || node.type === 'CommandExpansion' || (node.type === 'Statement' && node.background))
    inner(node, found)
  else forEachChild(node, (child) => look(child, line, found, isMaybe || !certain.has(node.type)))
}

/** A subshell: what it defines ends with it. */
function inner(node: SyntaxNode, found: Found): void {
  const apart: Found = { functions: [], isWhole: true, readsMore: false }
  forEachChild(node, (child) => look(child, '', apart, true))
  found.isWhole &&= apart.isWhole
}

/** Whether a text is one definition of a function and nothing else. */
export function isDefinitionOf(text: string, name: string): boolean {
  const script = tried(() => parse(text))
  const [statement, ...others] = script?.commands ?? []
  if (!statement || others.length > 0 || script?.errors?.length || statement.background) return false
  const { command } = statement
  return command.type === 'Function' && command.name.value === name
}
