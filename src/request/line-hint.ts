import { basename } from 'node:path'
import { type Command, forEachChild, parse, type SyntaxNode } from 'unbash'
import { tried } from '../base/errno.ts'
import type { LineEnd } from '../base/hint.ts'
import { type BashWord, dashHint, pkillHint } from '../messages/platform.ts'

/** In characters: the policy's parser takes no longer lines either. */
const maxLength = 65_536

/** What a result says about its line: that dash reads it otherwise than bash, or that it ended its own shell. */
export function lineHint(line: string, { signal, reader }: LineEnd, inDash: boolean): string | undefined {
  const script = line.length > maxLength ? undefined : tried(() => parse(line))
  if (!script) return undefined
  const nodes = [...nodesOf(script)]
  const words = inDash ? wordsIn(nodes, line) : []
  const pattern = signal === null ? undefined : ownPattern(nodes, line)
  const said = [
    ...(words.length > 0 ? [dashHint(words, reader)] : []),
    ...(signal !== null && pattern !== undefined ? [pkillHint(pattern, signal)] : []),
  ]
  return said.length > 0 ? said.join(' ') : undefined
}

function* nodesOf(top: SyntaxNode): Generator<SyntaxNode> {
  const open = [top]
  for (let node = open.pop(); node; node = open.pop()) {
    yield node
    const children: SyntaxNode[] = []
    forEachChild(node, (child) => void children.push(child))
    open.push(...children.reverse())
  }
}

/** Each kind once, in the order of the line. */
function wordsIn(nodes: readonly SyntaxNode[], line: string): readonly BashWord[] {
  const found = new Map<BashWord['kind'], BashWord>()
  for (const node of nodes) {
    const word = bashWord(node, line)
    if (word && !found.has(word.kind)) found.set(word.kind, word)
  }
  return [...found.values()]
}

/** Positions of nodes inside a substitution count from its own text: only a node's own text is used of them. */
function bashWord(node: SyntaxNode, line: string): BashWord | undefined {
  switch (node.type) {
    case 'BraceExpansion':
      return { kind: 'braces', text: node.text }
    case 'AnsiCQuoted':
    case 'LocaleString':
      return { kind: 'quotes', text: node.text }
    case 'ProcessSubstitution':
      return { kind: 'syntax', text: `${node.operator}(` }
    case 'HereString':
      return { kind: 'here-string', text: '<<<' }
    case 'Redirect':
      return redirectWord(node)
    case 'TestCommand':
      return { kind: 'condition', text: '[[' }
    case 'Assignment':
      return assignmentWord(node)
    case 'ParameterExpansion':
      return isOfBash(node) ? { kind: 'expansion', text: node.text } : undefined
    case 'Pipeline':
      return node.operators.includes('|&') ? { kind: 'pipe', text: '|&' } : undefined
    case 'Case':
      return node.items.some(({ terminator }) => terminator && terminator !== ';;')
        ? { kind: 'syntax', text: ';&' }
        : undefined
    case 'ArithmeticFor':
    case 'ArithmeticCommand':
      return { kind: 'arithmetic', text: '((' }
    case 'Select':
    case 'Coproc':
      return { kind: 'builtin', text: node.type.toLowerCase() }
    case 'Function':
      return line.slice(node.pos).startsWith('function') ? { kind: 'builtin', text: 'function' } : undefined
    case 'Command':
      return commandWord(node)
    default:
      return undefined
  }
}

function redirectWord({ operator, target }: Extract<SyntaxNode, { type: 'Redirect' }>): BashWord | undefined {
  if (operator.startsWith('&>')) return { kind: 'redirect', text: operator }
  // A name that is no descriptor.
  const isFile = operator === '>&' && /^[^\d$"'`-]/.test(target?.text ?? '')
  return isFile ? { kind: 'descriptor', text: `>& ${target?.text}` } : undefined
}

function assignmentWord(node: Extract<SyntaxNode, { type: 'Assignment' }>): BashWord | undefined {
  if (node.value?.type === 'ArrayValue' || node.index) return { kind: 'array', text: node.text }
  return node.append ? { kind: 'append', text: node.text } : undefined
}

/** Without these POSIX has an expansion, and dash does. */
function isOfBash({
  index,
  prefix,
  operation,
}: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): boolean {
  const kinds = ['Replace', 'Slice', 'CaseModification', 'Transform']
  return index !== undefined || prefix === '!' || kinds.includes(operation?.type ?? '')
}

const builtIns = new Set([
  'declare',
  'typeset',
  'shopt',
  'let',
  'mapfile',
  'readarray',
  'pushd',
  'popd',
  'dirs',
  'disown',
])

function commandWord(node: Command): BashWord | undefined {
  const name = node.name?.value ?? ''
  const given = textsOf(node)
  const [first = ''] = given
  if (builtIns.has(name)) return { kind: 'builtin', text: name }
  if (name === 'source') return { kind: 'source', text: 'source' }
  if (name === 'echo' && /^-[neE]*e[neE]*$/.test(first)) return { kind: 'echo', text: `echo ${first}` }
  if (name === 'set' && given.includes('pipefail')) return { kind: 'pipefail', text: 'pipefail' }
  const job = name === 'kill' ? given.find((word) => /^%/.test(word)) : undefined
  return job === undefined ? undefined : { kind: 'job', text: `kill ${job}` }
}

function textsOf({ args }: Command): readonly string[] {
  return args.map(({ value, text }) => (typeof value === 'string' ? value : text))
}

/** The pattern of a `pkill -f` that certainly matches the line which holds it. */
function ownPattern(nodes: readonly SyntaxNode[], line: string): string | undefined {
  for (const node of nodes) {
    if (node.type !== 'Command' || basename(node.name?.value ?? '') !== 'pkill') continue
    const given = textsOf(node)
    const isFull = given.some((word) => /^-[a-z]*f[a-z]*$|^--full$/.test(word))
    const isExact = given.some((word) => /^-[a-z]*x[a-z]*$|^--exact$/.test(word))
    const pattern = given.findLast((word) => !word.startsWith('-'))
    if (isFull && !isExact && pattern !== undefined && matchesItself(pattern, line)) return pattern
  }
  return undefined
}

/** Text without special characters but `.` and `.*`, as it stands in the line. */
function matchesItself(pattern: string, line: string): boolean {
  return line.includes(pattern) && pattern.split('.*').every((part) => /^[\w ./:=@,-]+$/.test(part))
}
